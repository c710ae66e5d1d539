"""The works that measures and intervals come from, in full, by how they are cited."""

from __future__ import annotations

from collections.abc import Mapping

from subitize.published import capture, geckonum, plos2025, probe

REFERENCES: Mapping[str, str] = {
    "Testolin, Hou and Zorzi 2025": plos2025.CITATION,
    "Parcalabescu, Gatt, Frank and Calixto 2021": probe.CITATION,
    "Pothiraj, Stengel-Eskin, Cho and Bansal 2025": capture.CITATION,
    "Kajić et al. 2024": geckonum.CITATION,
    "DeWind et al. 2015": "DeWind NK, Adams GK, Platt ML, Brannon EM (2015). Modeling the "
    "approximate number system to quantify the contribution of visual stimulus features. Cognition "
    "142, 247–265. doi:10.1016/j.cognition.2015.05.016",
    "Fay and Kim 2017": "Fay MP, Kim S (2017). Confidence intervals for directly standardized "
    "rates using mid-p gamma intervals. Biometrical Journal 59(2), 377–387. "
    "doi:10.1002/bimj.201600111",
    "Gibbon 1977": "Gibbon J (1977). Scalar expectancy theory and Weber's law in animal timing. "
    "Psychological Review 84(3), 279–325. doi:10.1037/0033-295X.84.3.279",
    "Hayes and Krippendorff 2007": "Hayes AF, Krippendorff K (2007). Answering the call for a "
    "standard reliability measure for coding data. Communication Methods and Measures 1(1), 77–89. "
    "doi:10.1080/19312450709336664",
    "Hyndman and Koehler 2006": "Hyndman RJ, Koehler AB (2006). Another look at measures of "
    "forecast accuracy. International Journal of Forecasting 22(4), 679–688. "
    "doi:10.1016/j.ijforecast.2006.03.001",
    "Korn and Graubard 1998": "Korn EL, Graubard BI (1998). Confidence intervals for proportions "
    "with small expected number of positive counts estimated from survey data. Survey Methodology "
    "24(2), 193–201",
    "Lee and Sarnecka 2011": "Lee MD, Sarnecka BW (2011). Number-knower levels in young children: "
    "Insights from Bayesian modeling. Cognition 120(3), 391–402. "
    "doi:10.1016/j.cognition.2010.10.003",
    "Mann and Whitney 1947": "Mann HB, Whitney DR (1947). On a test of whether one of two random "
    "variables is stochastically larger than the other. Annals of Mathematical Statistics 18(1), "
    "50–60. doi:10.1214/aoms/1177730491",
    "Naeini, Cooper and Hauskrecht 2015": "Naeini MP, Cooper GF, Hauskrecht M (2015). Obtaining "
    "well calibrated probabilities using Bayesian binning. Proceedings of the AAAI Conference on "
    "Artificial Intelligence 29(1), 2901–2907. doi:10.1609/aaai.v29i1.9602",
    "Obuchowski 1997": "Obuchowski NA (1997). Nonparametric analysis of clustered ROC curve data. "
    "Biometrics 53(2), 567–578. doi:10.2307/2533958",
    "Piazza et al. 2010": "Piazza M, Facoetti A, Trussardi AN, Berteletti I, Conte S, Lucangeli D, "
    "et al. (2010). Developmental trajectory of number acuity reveals a severe impairment in "
    "developmental dyscalculia. Cognition 116(1), 33–41",
    "Tversky and Kahneman 1974": "Tversky A, Kahneman D (1974). Judgment under uncertainty: "
    "Heuristics and biases. Science 185(4157), 1124–1131. doi:10.1126/science.185.4157.1124",
    "Wilcoxon 1945": "Wilcoxon F (1945). Individual comparisons by ranking methods. Biometrics "
    "Bulletin 1(6), 80–83. doi:10.2307/3001968",
    "Willmott and Matsuura 2005": "Willmott CJ, Matsuura K (2005). Advantages of the mean absolute "
    "error (MAE) over the root mean square error (RMSE) in assessing average model performance. "
    "Climate Research 30(1), 79–82. doi:10.3354/cr030079",
    "Wynn 1992": "Wynn K (1992). Children's acquisition of the number words and the counting "
    "system. Cognitive Psychology 24(2), 220–251. doi:10.1016/0010-0285(92)90008-P",
    "Yates 1934": "Yates F (1934). Contingency tables involving small numbers and the χ² test. "
    "Supplement to the Journal of the Royal Statistical Society 1(2), 217–235. doi:10.2307/2983604",
}
