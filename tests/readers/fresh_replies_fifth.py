"""A fifth set: what the readers read wrongly or left of 433 replies in the manner of the models of
the shared ones: endings, refusals, bounds, names, options and other things beside the count."""

from __future__ import annotations

from tests.readers.reply_cases import Fresh, Perhaps

CASES: list[Fresh] = [
    (
        "How many pinecones are there in total, assuming the pattern continues behind the box?",
        "There are 18 pinecones in the picture, counting the 5 that are behind the black square.",
        18,
        18,
    ),
    (
        "How many pinecones are there in total, assuming the pattern continues behind the box?",
        "Row 1 has 6, row 2 has 6 and row 3 has 6. 18 pinecones.",
        Perhaps(18),
        18,
    ),
    (
        "How many lamps are in this picture?",
        "Error 503: service unavailable, retry in 20 seconds",
        None,
        None,
    ),
    (
        "How many lamps are in this picture?",
        "I can't see the image, but typically a room like this has 3 lamps.",
        None,
        None,
    ),
    (
        "How many lamps are in this picture?",
        "Based on the description alone I can't say. A typical room has 2 lamps.",
        None,
        None,
    ),
    (
        "How many lamps are in this picture?",
        "The image cannot be displayed. [Image 1 of 1]",
        None,
        None,
    ),
    (
        "Subtract all tiny teal cylinders. Subtract all rubber cubes. How many objects are left?",
        "We start with a total of 9 objects; after both subtractions we end up with 4.",
        Perhaps(4),
        4,
    ),
    (
        "Subtract all tiny teal cylinders. Subtract all rubber cubes. How many objects are left?",
        "There are 4 objects left after subtracting the 2 tiny teal cylinders and the 3 "
        "rubber cubes from the total of 9 objects.",
        Perhaps(4),
        4,
    ),
    (
        "Subtract all tiny teal cylinders. Subtract all rubber cubes. How many objects are left?",
        "There are 5 objects in total. All of them are removed, so no objects are left.",
        Perhaps(0),
        0,
    ),
    (
        "Subtract all tiny teal cylinders. Subtract all rubber cubes. How many objects are left?",
        "After subtracting all 2 tiny teal cylinders and all 3 rubber cubes, there are no "
        "objects left.",
        Perhaps(0),
        0,
    ),
    (
        "Subtract all tiny teal cylinders. Subtract all rubber cubes. How many objects are left?",
        "2 tiny teal cylinders and 3 rubber cubes are subtracted. None are left.",
        Perhaps(0),
        0,
    ),
    (
        "Subtract all tiny teal cylinders. Subtract all rubber cubes. How many objects are left?",
        "There's a total of 6 objects. Taking away 2 and then 3 leaves just one object: the "
        "big yellow sphere.",
        Perhaps(1),
        1,
    ),
    (
        "How many bars have values larger than 50?",
        "There are three bars whose value exceeds 50: 60, 70 and 90.",
        3,
        3,
    ),
    ("How many bars have values larger than 50?", "Bars greater than 50: 3", 3, 3),
    (
        "How many bars have values larger than 50?",
        "Out of the 6 bars shown, 3 of them have values larger than 50.",
        3,
        3,
    ),
    (
        "How many bars have values larger than 50?",
        "The bars have values of 60, 20, 70, 90, 10, 50. Three of these are larger than 50.",
        3,
        3,
    ),
    (
        "How many flocks had at least 17 birds but fewer than 33 birds?",
        "Flocks with at least 17 but fewer than 33 birds: 17, 18, 22, 25, 31. That's 5 flocks.",
        Perhaps(5),
        5,
    ),
    (
        "In how many years was the rate greater than 2 %?",
        "The rate was greater than 2% in 4 years: 2001, 2003, 2004 and 2009.",
        4,
        4,
    ),
    (
        "How many more cups did Ana sell than Ben?",
        "Ana sold 15 more cups than Ben did (40 vs. 25).",
        Perhaps(15),
        15,
    ),
    (
        "How many more cups did Ana sell than Ben?",
        "The difference is 40 − 25, that is, 15 cups.",
        Perhaps(15),
        15,
    ),
    (
        "How many people are wearing hats?",
        "Out of the 8 people in the picture, 3 are wearing hats.",
        3,
        3,
    ),
    (
        "How many dogs are in the picture?",
        "Two dogs and three cats are in the picture.",
        Perhaps(2),
        Perhaps(2),
    ),
    (
        "How many dogs are in the picture?",
        "There is a single dog in the picture, accompanied by two people.",
        Perhaps(1),
        Perhaps(1),
    ),
    (
        "How many dogs are in the picture?",
        "The picture doesn't contain any dogs. It shows 3 horses.",
        Perhaps(0),
        Perhaps(0),
    ),
    (
        "How many dogs are in the picture?",
        "0 dogs; the 3 animals are foxes.",
        Perhaps(0),
        Perhaps(0),
    ),
    (
        "How many dogs are in the picture?",
        "There are zero dogs and three horses.",
        Perhaps(0),
        Perhaps(0),
    ),
    (
        "How many squares are shaded? <image1>",
        "Hence, the required number of squares is 12, out of 16.",
        12,
        12,
    ),
    (
        "How many squares are shaded? <image1>",
        "By counting, we find that there are 12 shaded squares among the 16.",
        12,
        12,
    ),
    (
        "How many signs are there?",
        "Three signs are shown. One reads 'Exit 12', another 'Exit 14', and the third 'Food'.",
        3,
        3,
    ),
    (
        "How many signs are there?",
        "There are 4 signs with the numbers 1, 2, 3 and 4 on them.",
        4,
        4,
    ),
    ("How many signs are there?", "I can see 5 signs in front of the Forever 21 store.", 5, 5),
    ("How many signs are there?", 'One sign, reading "Pier 39".', 1, 1),
    ("How many signs are there?", "There is 1 sign that reads 'Studio 54'.", 1, 1),
    ("", "(A) 3 - there are three ducks in the pond, and 2 on the shore.", 3, 3),
    ("", "(A) 1\n(B) 2\n(C) 3\n(D) 4", None, None),
    (
        "How many objects are preferred by less than 7 people in at least one category?",
        "3 objects (lamp, shoe and fork) are preferred by fewer than 7 people in at least "
        "one category.",
        3,
        3,
    ),
    (
        "What is the sum of all the values in the bar chart?",
        "The values are 3, 9, and 12. Their sum is 24.",
        24,
        24,
    ),
    (
        "What is the age gap between these two people in image? (Unit: years)",
        "The age gap between these two people is 7 years.",
        7,
        7,
    ),
    (
        "How many stores sold less than 8 items?",
        "Looking at the chart: A=5, B=9, C=7, D=8. So two stores (A and C) sold less than 8 items.",
        Perhaps(2),
        2,
    ),
    (
        "What is the difference between the largest and the smallest value?",
        "Largest: 10\nSmallest: 4\nDifference: 6",
        Perhaps(6),
        6,
    ),
    (
        "What is the difference between the largest and the smallest value?",
        "The largest is 10. The smallest is 4. The difference between 10 and 4 is 6.",
        Perhaps(6),
        6,
    ),
    (
        "How many trees are in the image?",
        "There are 11 trees and 3 bushes in the image.",
        Perhaps(11),
        Perhaps(11),
    ),
    (
        "How many trees are in the image?",
        "11 trees, 3 bushes and 2 benches",
        Perhaps(11),
        Perhaps(11),
    ),
    (
        "How many trees are in the image?",
        "Apart from the 3 bushes there are 11 trees.",
        Perhaps(11),
        Perhaps(11),
    ),
    (
        "How many cups are there in total, with those behind the black box?",
        "There are 13 visible cups and an unknown number of hidden ones.",
        None,
        None,
    ),
    (
        "How many zeros does this function have?",
        "There are three zeros: x = -1, x = 1, and x = 4.",
        3,
        3,
    ),
    ("How many zeros does this function have?", "3 zeros (x = -2, 0, 2)", 3, 3),
    (
        "How many cities have fewer than 50 parks? (Unit: cities)",
        "Fewer than 50 parks: 4 cities.",
        4,
        4,
    ),
    (
        "How many items sold more than 3 units in at least one store?",
        "Two items, pen and cup, sold more than 3 units in at least one store.",
        2,
        2,
    ),
    (
        "In how many years, is the rate greater than the average rate taken over all years ?",
        "In 2 years, 2009 and 2011, the rate is greater than the average.",
        2,
        2,
    ),
    ("How many snowmen are there?", "One, two, three, four, five snowmen!", Perhaps(5), 5),
    (
        "How many birds are in the picture?",
        "1, 2, 3, 4, 5, 6, 7, 8, 9 — nine birds.",
        Perhaps(9),
        Perhaps(9),
    ),
]
