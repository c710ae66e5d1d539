"""Replies of our own wording, by what makes them hard, with the number that each names (None:
none). A reader may leave one unread, but never reads another number.
"""

from __future__ import annotations

NAMED: dict[str, list[tuple[str, int | None]]] = {
    "parts of a whole": [
        ("There are 14 candles in total, with 5 hidden behind the curtain.", 14),
        ("23 bolts in total (7 hidden).", 23),
        ("18 plates. Of these, 6 are covered by the napkin.", 18),
        ("There are 30 seats arranged in 5 rows and 6 columns.", 30),
        ("27 marbles, including 9 underneath the cloth", 27),
        ("60 screws. 41 are visible and 19 are covered", 60),
        ("I count 11 visible lamps and infer 4 behind the panel, for 15 lamps.", 15),
        ("Including the 3 covered ones, there are 21 buttons.", 21),
        ("The full grid would hold 36 tiles; 8 of them are out of sight.", 36),
        ("Visible: 13. Hidden: 5. Total: 18.", 18),
        ("Visible pens: 9\nHidden pens: 3\nTotal pens: 12", 12),
        (
            "There are 16 bottles altogether, of which 4 cannot be seen because of "
            "the black square.",
            16,
        ),
        ("10 of the 25 coins are hidden by the box.", 25),
        ("There are 25 coins, 10 of which are hidden by the box.", 25),
        ("We can see 17 spoons; adding the 3 obscured by the box gives 20.", 20),
        ("The picture shows 48 beads altogether - 12 are concealed by the rectangle.", 48),
        ("My count is 33 pins (29 in view, 4 under the box).", 33),
        ("Behind the black box there are 6 more forks, so the total is 24 forks.", 24),
        ("There should be 22 rings, though only 15 are visible.", 22),
        ("Only 15 are visible, but there should be 22 rings.", 22),
        ("Of the 40 stones, 7 are occluded.", 40),
        ("I can see 12 eggs, but 4 more are hidden, making 16 eggs.", 16),
        ("19 keys (5 of them hidden from view)", 19),
        ("There are 28 mugs: 20 visible + 8 occluded.", 28),
        ("45 pegs in 9 rows of 5, with 10 hidden", 45),
        (
            "The number of visible apples is 8 and the number of hidden apples is 4"
            ", so there are 12 apples.",
            12,
        ),
        ("In total, there are 35 bricks, and 5 of these are blocked from view.", 35),
        ("A 6 by 7 arrangement, so 42 cookies, three of them behind the box.", 42),
        ("There appear to be 26 nuts altogether; 9 of those lie beneath the cover.", 26),
        ("Thirty-two tiles exist, six of which the rectangle obscures.", 32),
        ("Out of 18 cans, 5 can't be seen.", 18),
        ("I see 14 cans and the box covers 4 more, giving 18 cans.", 18),
        ("Counting those concealed, 22 screws. Without them, 17.", 22),
        ("9 visible oranges plus 3 occluded oranges equals 12 oranges.", 12),
        ("The pattern is a 4x5 grid with 6 cells covered, so there are 20 donuts.", 20),
        ("The pattern is a 4 by 5 grid. 6 cells are covered. Total: 20 donuts.", 20),
        ("12 hats total, 3 occluded", 12),
        ("12 hats total; 9 can be seen, 3 cannot.", 12),
        ("Though just 7 spools show, 10 spools are there in all.", 10),
        ("There are 24 bagels - 18 showing and 6 under the black square.", 24),
        (
            "There are 6 columns with 4 pans each, for a total of 24 pans, 5 of the"
            "m behind the box.",
            24,
        ),
        ("Of the 50 rivets, the box hides 8.", 50),
        ("The box hides 8 of the 50 rivets.", 50),
        ("The total count, including the 2 covered, is 11.", 11),
        ("Total count (with 2 covered ones): 11", 11),
        ("8 + 3 (hidden) = 11", 11),
        ("8 shown + 3 hidden = 11 corks", 11),
        ("The circle is made of 16 beads of which 12 are visible.", 16),
        ("Seven of the fifteen jars are out of sight.", 15),
        ("I believe 21 tiles: 14 in sight, 7 not.", 21),
        ("With the occluded ones included the total comes to 30 pearls, 24 being visible.", 30),
        ("There are 9 by 3 = 27 pins, minus none; 5 are hidden.", 27),
        ("The box conceals four, so instead of 16 there are 20.", 20),
        ("32 forks (visible: 26)", 32),
        ("32 forks (hidden: 6)", 32),
        ("Total: 32 (26 visible, 6 hidden)", 32),
        ("There are 18 straws. The black square covers 5 of these.", 18),
        ("18 straws exist and 5 of the straws are covered.", 18),
        ("I estimate that 6 are hidden; adding them to the 12 visible makes 18.", 18),
        ("18, of which 6 hidden", 18),
        ("18 with 6 hidden", 18),
        ("18 minus the hidden 6 leaves 12 visible.", None),
    ],
    "refusals": [
        ("I cannot count the chairs in the 3 images provided.", None),
        ("I'm unable to determine how many of the 5 boxes contain fruit.", None),
        ("Sorry, I can't see the picture. Please upload 1 image and ask again.", None),
        ("As an AI language model, I can't tell how many people are older than 30.", None),
        ("I'm sorry, but I can't help with identifying the 2 people in this image.", None),
        ("It is not possible to count the birds from only 4 pixels.", None),
        ("I can't determine the number of cups; the image only shows 1 table.", None),
        ("Unfortunately, the 2nd image and 3 others did not load, so I can't answer.", None),
        ("I don't have enough information to say which of the 4 options is correct.", None),
        ("There is no way to tell how many of the 12 months had sales above 50.", None),
        ("I do not see any image. If you attach 1 or 2 pictures I will count the dogs.", None),
        ("I cannot view images, so I can't say whether there are 5 or 6 cats.", None),
        ("The image is too blurry for me to count the 7 objects you mention.", None),
        ("My apologies, I'm not able to process the 10 pictures.", None),
        ("Without the figure I am unable to count triangles in the 3x3 grid.", None),
        ("We can't know how many students scored more than 80.", None),
        ("The data provided doesn't tell us how many of the 6 countries grew.", None),
        ("No answer possible: 3 of the bars have no labels.", None),
        ("I refuse to count the 8 people because of privacy.", None),
        ("It's unclear how many of the 4 cubes are hidden.", None),
        ("I'm just a text model with 7 billion parameters and can't look at pictures.", None),
        ("I could not find the two tables you refer to.", None),
        ("Could you please provide the 2 images? Then I can count.", None),
        ("I have no means of seeing the 4 pictures, so no count can be given.", None),
        ("Regrettably the 3 photos are not accessible to me.", None),
        ("There isn't enough detail to say how many of the 9 lights are on.", None),
        ("Counting the 25 people would violate my guidelines.", None),
        ("I am not equipped to analyse charts with 12 bars.", None),
        ("It's hard to say how many are hidden behind the 2 boxes.", None),
        ("Nobody could tell how many of the 40 seeds sprouted.", None),
        ("The question cannot be answered with only 1 image.", None),
        ("I don't know how many of the five lines cross.", None),
        ("I do not know. The 3 boxes are closed.", None),
        ("Not enough information: only 2 of the sides are given.", None),
        ("I'd rather not estimate how many of the 300 people are wearing hats.", None),
        ("I must refrain from counting the 2 persons.", None),
        ("No image was attached, so I can't count the 5 cups you mention.", None),
        ("Please resend image 2, it seems broken.", None),
        ("My training ended in 2023 and I can't view pictures.", None),
        ("I was unable to open the 2 attachments.", None),
        ("I cannot tell exactly how many of the 16 squares are shaded from this view.", None),
        ("Can't answer: figure 3 is missing.", None),
        (
            "The picture doesn't contain enough information to determine how many o"
            "f the 7 days were rainy.",
            None,
        ),
        ("I apologize, but counting objects in more than 1 image is beyond me.", None),
        ("As an AI, I lack vision; describe the 6 panels and I'll help.", None),
        ("I would need to see the picture to count the 8 candles.", None),
        ("Sorry - 404, no image found.", None),
        ("I do not have the capability to inspect the 6 screenshots.", None),
        ("Given privacy concerns I will not enumerate the 4 individuals shown.", None),
        ("The second of the 2 pictures is corrupted, so no result.", None),
        ("We lack the data for 3 of the months.", None),
        (
            "Unfortunately the chart with 5 bars has no axis, so the requested number stays open.",
            None,
        ),
        ("I am only able to read text, not 2D drawings or the 3 photos.", None),
        ("It can't be known how many of the 50 voters chose red.", None),
        ("My apologies! The 3 pictures show nothing that I could count.", None),
        ("There's no information about how many of those 8 planets have rings.", None),
        ("I'm sorry, the question about 15 marbles makes no sense to me.", None),
        ("I need the image in order to count the 10 bottles.", None),
        ("As a text-based assistant I can't look at the 4 diagrams.", None),
    ],
    "conditions": [
        ("The number of months above 25 is 6.", 6),
        ("The count of cities with fewer than 300 visitors is 5.", 5),
        ("The number of bars higher than 40 equals 3.", 3),
        ("There are 7 students who scored at least 80.", 7),
        ("Students who scored at least 80: 7.", 7),
        ("4 countries have more than 10 million people.", 4),
        ("Those with values under 15 number 9.", 9),
        ("How many values exceed 12? 5 values exceed 12.", 5),
        ("The number of points greater than or equal to 50 is eight.", 8),
        ("There are exactly 6 bars whose height is less than 20.", 6),
        ("Bars lower than 100: three.", 3),
        ("The total number of people older than 65 is 11.", 11),
        ("In 2019, 4 bars were above 30%.", 4),
        ("Among the bars with height over 9, we have 2.", 2),
        ("The number of games in which he scored over 20 points is 13.", 13),
        ("The amount of lines that cross more than 3 times comes to 4.", 4),
        ("For the years after 2005, 8 values are above 60.", 8),
        ("Number of cells with a value larger than 17: 10", 10),
        ("There are two categories where the sales are greater than 75.", 2),
        ("The number of days with temperature below 0 was 12.", 12),
        ("There were 3 players with over 200 goals.", 3),
        ("Six of the bars surpass 30.", 6),
        ("The number of stores selling at least 12 units is 4.", 4),
        ("5 nations had under 3 medals.", 5),
        ("A total of 7 items cost more than 20 dollars.", 7),
        ("The bars taller than 8 number five.", 5),
        ("Number of rows > 10: 3", 3),
        ("Count of values >= 7 is 9.", 9),
        ("Values below 5: 2, so 2 values.", 2),
        ("8 datasets have an accuracy higher than 70.", 8),
        ("The number of algorithms with accuracies lower than 60 in at least one dataset is 0.", 0),
        ("We find 2 categories exceeding 45 votes.", 2),
        ("Exactly 6 of the 20 pupils scored above 90.", 6),
        ("In the years 2001-2005 the price was above 3 four times.", 4),
        ("There are two years when it fell under 1.5.", 2),
        ("The total number of bins holding fewer than 10 coins: 6.", 6),
    ],
    "conclusions behind totals": [
        (
            "There were a total of 14 shapes at first. After removing the 5 green o"
            "nes, 9 are left.",
            9,
        ),
        (
            "We start with a total of 12 blocks. Subtracting 4 metal cubes leaves 8"
            ". Therefore, the answer is 8.",
            8,
        ),
        ("There is a total of 10 items. Removing 3 spheres gives 7. Hence **7** items remain.", 7),
        ("In total there are 9 balls; 2 are taken away. Thus there are 7 balls left.", 7),
        ("Altogether 15 apples. Tom eats 6. So 9 apples remain.", 9),
        ("Total: 20. Minus 5 red ones: 15. Final count: 15.", 15),
        (
            "First I count 6 on the left and 5 on the right, a total of 11. But one"
            " is a shadow, so the correct number is 10.",
            10,
        ),
        (
            "There are a total of 13 objects in the picture. If we subtract all 4 c"
            "ubes we get 9 objects. If we subtract the 2 red ones, we get 7 objects"
            " left.",
            7,
        ),
        (
            "The image contains a total of 8 objects.\n\nRemoving the purple cube: 7."
            "\n\nRemoving the 2 gray spheres: 5.\n\nThere are 5 objects left.",
            5,
        ),
        (
            "Step 1: total of 10 objects. Step 2: remove 2 -> 8. Step 3: remove 3 -"
            "> 5. Conclusion: 5.",
            5,
        ),
        ("A total of 6 cars were parked. 2 drove off. That leaves four.", 4),
        ("Total = 12; hidden = 3; answer = 15", 15),
        ("The total was 20 at the beginning. Now 20 - 8 = 12. So 12.", 12),
        ("Originally 9 objects in total. Two got removed, which leaves us with 7 objects.", 7),
        ("A sum of 14 pieces; minus 6; remaining: 8.", 8),
        ("First: 10 in total. Then: 3 removed. Finally: 7.", 7),
        ("There were 11 in all, 4 flew away; 7 birds are left on the wire.", 7),
        (
            "Overall 16 shapes exist. Taking away spheres (5) gives 11, and taking "
            "away cubes (3) gives 8.",
            8,
        ),
    ],
    "answers beside an apology": [
        ("I'm not sure, but I think there are 7.", 7),
        ("Sorry for the confusion: there are 9 cups.", 9),
        ("Unfortunately I only see 4 of them.", 4),
        ("As an AI I count 12 apples.", 12),
        ("I don't have glasses on, but 5 birds are there.", 5),
        ("I'm not certain, perhaps 6.", 6),
        ("Sorry! 8.", 8),
        ("Apologies, the answer is 11.", 11),
        ("Unfortunately, only 3 bars meet this.", 3),
        ("I am unable to be certain, yet I would say 14.", 14),
        ("I don't know exactly, my guess is 20.", 20),
        ("No image is missing: there are 2 images and 5 dogs in all.", 5),
        ("The picture violates no rule; it shows 3 cats.", 3),
        ("I would have to say 13.", 13),
        ("The number is 7, I'm afraid.", 7),
        ("Without privacy screens there are 6 desks.", 6),
        ("We have 5 pens. I'm unsure about colours.", 5),
    ],
    "reasoning in several steps": [
        (
            "To determine the number of objects left, we first count all of them. T"
            "here are 3 cyan cylinders, 2 red spheres and 4 gray cubes, for a total"
            " of 9 objects. Subtracting the 2 red spheres gives us 7 objects. Subtr"
            "acting the 4 cubes gives us 3 objects.\n\nSo, the answer is 3 objects le"
            "ft.",
            3,
        ),
        (
            "The bar chart shows 6 restaurants. The restaurants with ratings above "
            "7 are: A (8), B (9), C (7.5). Therefore 3 restaurants have ratings abo"
            "ve 7.",
            3,
        ),
        (
            "Looking at the plot, values for each algorithm:\n- fire: 60\n- dome: 80\n"
            "- stem: 30\nTwo of these are higher than 50, so the answer is 2.",
            2,
        ),
        (
            "Counting the legs in the picture:\n1. Left horse: 4 legs\n2. Right horse"
            ": 4 legs\n\nTotal: 8 legs",
            8,
        ),
        ("I see 2 dogs. One dog is brown. The other dog is white. Neither wears a collar.", 2),
        (
            "Based on the stem-and-leaf plot, the scores at least 60 are 61, 65, 68"
            ", 70 and 77, giving a count of 5 people.",
            5,
        ),
        ("The scores less than 40 are 12, 15, 31, 38. There are 4 of these.", 4),
        (
            "Based on the image there are 5 yellow rubber balls and 1 small metal c"
            "ylinder. If you take away the balls, you have 1 object left.",
            1,
        ),
        (
            "The answer is 5.\n\nExplanation: The line plot shows that 2 people own 3"
            " pets and 3 people own 4 pets.",
            5,
        ),
        ("Answer: C\n\nThere are 6 faces visible.", 6),
        ("Number of people: 4 (2 men + 2 women)", 4),
        (
            "In the picture, we can see 3 men standing and 1 woman sitting. In tota"
            "l there are 4 persons.",
            4,
        ),
        (
            "The image contains a graph with 5 lines. Out of these 5 lines, 2 reach"
            " values above 80 units at some point.",
            2,
        ),
        (
            "There are 7 objects in total:\n\n* 1 large red cube\n* 2 small blue spher"
            "es\n* 4 green cylinders\n\nSubtracting all of the red cubes would leave 6"
            " objects.",
            6,
        ),
        (
            "Okay, here's how to solve this:\n\n1. **Identify the objects:** 2 tiny s"
            "pheres, 5 big blocks.\n2. **Subtract:** 5 blocks - 5 blocks = 0.\n3. **L"
            "eft:** 2 tiny spheres.\n\nThere are **2** objects left.",
            2,
        ),
        ("There are 0 items sold in fewer than 3 stores.", 0),
        ("Only one country, Chile, has a value greater than 12.", 1),
        ("There is just one bar whose value is larger than 9.", 1),
        ("The age gap between the two people in the image is about 7 years.", 7),
        ("The difference in age is 12 years.", 12),
        ("It looks like there are either 14 or 15 beads.", None),
        (
            "Step 1: Count rows: 4. Step 2: Count columns: 6. Step 3: 4 x 6 = 24. S"
            "tep 4: hidden are included. Final: 24",
            24,
        ),
        ("Since the pattern is a triangle with rows of 1, 2, 3, 4 and 5, the total is 15.", 15),
        ("The circle has 10 visible dots and the gap fits 3 more dots, so 13.", 13),
        ("10 visible + 3 hidden = 13 total dots", 13),
        ("13 (10 + 3)", 13),
        ("The number of different shapes is three: a square, two circles, and a triangle.", 3),
        ("The mode is 4.", 4),
        ("The range of the numbers is 9 - 2 = 7.", 7),
        ("The median of 3, 5, 8 is 5.", 5),
        ("Between 5:00 and 6:00, 3 trains leave.", 3),
        ("The clock reads 5:45.", None),
        ("There are 100 - 35 = 65 red beads.", 65),
        ("65 beads are red (100 in total minus 35).", 65),
        (
            "In the figure, the tangram uses 7 pieces, i.e., 5 triangles, 1 square "
            "and 1 parallelogram.",
            7,
        ),
    ],
}
