//! Coefficients of the methods of Dormand and Prince, as published with the codes DOPRI5 and DOP853 of Hairer, Nørsett
//! and Wanner, *Solving Ordinary Differential Equations I*, 2nd edition, II.5 and II.6. Stages are counted from zero;
//! zeros are left out.

/// Coefficients of stages: pairs of stage and weight.
pub(super) type Weights = &'static [(usize, f64)];

/// A stage is evaluated at `t + c h`, `y + h Σ a k`.
#[derive(Debug)]
pub(super) struct TableauStage {
    pub(super) c: f64,
    pub(super) a: Weights,
}

/// An explicit embedded method with dense output.
#[derive(Debug)]
pub(super) struct EmbeddedTableau {
    pub(super) order: u8,
    /// All stages after the first.
    pub(super) stages: &'static [TableauStage],
    /// The new state; its derivative is the stage after the last.
    pub(super) solution: Weights,
    /// The difference to the embedded method.
    pub(super) error: Weights,
    /// Whether `error` has a weight for the derivative of the new state.
    pub(super) error_needs_end: bool,
    /// A second embedded method, of low order, that corrects the first estimate.
    pub(super) coarse: Option<Weights>,
    /// Stages needed for dense output only.
    pub(super) dense_stages: &'static [TableauStage],
    /// Coefficients of the interpolating polynomial beyond the cubic Hermite one.
    pub(super) dense: &'static [Weights],
    pub(super) control: StepControl,
}

/// Constants of the step-size control.
#[derive(Debug)]
pub(super) struct StepControl {
    /// Weight of the error of the step before (a proportional-integral controller if not zero).
    pub(super) memory: f64,
    /// Part of `memory` taken off the exponent.
    pub(super) memory_share: f64,
    pub(super) shrink: f64,
    pub(super) grow: f64,
}

impl EmbeddedTableau {
    /// Number of derivatives kept: first, stages, end, dense stages.
    pub(super) fn derivatives(&self) -> usize {
        self.end() + 1 + self.dense_stages.len()
    }

    /// Place of the derivative of the new state.
    pub(super) fn end(&self) -> usize {
        self.stages.len() + 1
    }

    /// The derivatives that dense output needs, and the next step, without the first.
    pub(super) fn kept(&self) -> impl Iterator<Item = usize> + use<> {
        let (stages, dense, end) = (self.dense_stages, self.dense, self.end());
        (1..=end).filter(move |place| {
            let weights = stages.iter().map(|stage| stage.a).chain(dense.iter().copied());
            *place == end || weights.flatten().any(|(other, _)| other == place)
        })
    }
}

pub(super) static DOPRI5: EmbeddedTableau = EmbeddedTableau {
    order: 5,
    stages: &[
        TableauStage { c: 1.0 / 5.0, a: &[(0, 1.0 / 5.0)] },
        TableauStage { c: 3.0 / 10.0, a: &[(0, 3.0 / 40.0), (1, 9.0 / 40.0)] },
        TableauStage { c: 4.0 / 5.0, a: &[(0, 44.0 / 45.0), (1, -56.0 / 15.0), (2, 32.0 / 9.0)] },
        TableauStage {
            c: 8.0 / 9.0,
            a: &[(0, 19372.0 / 6561.0), (1, -25360.0 / 2187.0), (2, 64448.0 / 6561.0), (3, -212.0 / 729.0)],
        },
        TableauStage {
            c: 1.0,
            a: &[
                (0, 9017.0 / 3168.0),
                (1, -355.0 / 33.0),
                (2, 46732.0 / 5247.0),
                (3, 49.0 / 176.0),
                (4, -5103.0 / 18656.0),
            ],
        },
    ],
    solution: &[(0, 35.0 / 384.0), (2, 500.0 / 1113.0), (3, 125.0 / 192.0), (4, -2187.0 / 6784.0), (5, 11.0 / 84.0)],
    error: &[
        (0, 71.0 / 57600.0),
        (2, -71.0 / 16695.0),
        (3, 71.0 / 1920.0),
        (4, -17253.0 / 339200.0),
        (5, 22.0 / 525.0),
        (6, -1.0 / 40.0),
    ],
    error_needs_end: true,
    coarse: None,
    dense_stages: &[],
    dense: &[&[
        (0, -12715105075.0 / 11282082432.0),
        (2, 87487479700.0 / 32700410799.0),
        (3, -10690763975.0 / 1880347072.0),
        (4, 701980252875.0 / 199316789632.0),
        (5, -1453857185.0 / 822651844.0),
        (6, 69997945.0 / 29380423.0),
    ]],
    control: StepControl { memory: 0.04, memory_share: 0.75, shrink: 0.2, grow: 10.0 },
};

pub(super) static DOP853: EmbeddedTableau = EmbeddedTableau {
    order: 8,
    stages: &[
        TableauStage { c: 0.05260015195876773, a: &[(0, 0.05260015195876773)] },
        TableauStage { c: 0.0789002279381516, a: &[(0, 0.0197250569845379), (1, 0.0591751709536137)] },
        TableauStage { c: 0.1183503419072274, a: &[(0, 0.02958758547680685), (2, 0.08876275643042054)] },
        TableauStage {
            c: 0.2816496580927726,
            a: &[(0, 0.2413651341592667), (2, -0.8845494793282861), (3, 0.924834003261792)],
        },
        TableauStage {
            c: 0.3333333333333333,
            a: &[(0, 0.037037037037037035), (3, 0.17082860872947386), (4, 0.12546768756682242)],
        },
        TableauStage {
            c: 0.25,
            a: &[(0, 0.037109375), (3, 0.17025221101954405), (4, 0.06021653898045596), (5, -0.017578125)],
        },
        TableauStage {
            c: 0.3076923076923077,
            a: &[
                (0, 0.03709200011850479),
                (3, 0.17038392571223998),
                (4, 0.10726203044637328),
                (5, -0.015319437748624402),
                (6, 0.008273789163814023),
            ],
        },
        TableauStage {
            c: 0.6512820512820513,
            a: &[
                (0, 0.6241109587160757),
                (3, -3.3608926294469414),
                (4, -0.868219346841726),
                (5, 27.59209969944671),
                (6, 20.154067550477894),
                (7, -43.48988418106996),
            ],
        },
        TableauStage {
            c: 0.6,
            a: &[
                (0, 0.47766253643826434),
                (3, -2.4881146199716677),
                (4, -0.590290826836843),
                (5, 21.230051448181193),
                (6, 15.279233632882423),
                (7, -33.28821096898486),
                (8, -0.020331201708508627),
            ],
        },
        TableauStage {
            c: 0.8571428571428571,
            a: &[
                (0, -0.9371424300859873),
                (3, 5.186372428844064),
                (4, 1.0914373489967295),
                (5, -8.149787010746927),
                (6, -18.52006565999696),
                (7, 22.739487099350505),
                (8, 2.4936055526796523),
                (9, -3.0467644718982196),
            ],
        },
        TableauStage {
            c: 1.0,
            a: &[
                (0, 2.273310147516538),
                (3, -10.53449546673725),
                (4, -2.0008720582248625),
                (5, -17.9589318631188),
                (6, 27.94888452941996),
                (7, -2.8589982771350235),
                (8, -8.87285693353063),
                (9, 12.360567175794303),
                (10, 0.6433927460157636),
            ],
        },
    ],
    solution: &[
        (0, 0.054293734116568765),
        (5, 4.450312892752409),
        (6, 1.8915178993145003),
        (7, -5.801203960010585),
        (8, 0.3111643669578199),
        (9, -0.1521609496625161),
        (10, 0.20136540080403034),
        (11, 0.04471061572777259),
    ],
    error: &[
        (0, 0.01312004499419488),
        (5, -1.2251564463762044),
        (6, -0.4957589496572502),
        (7, 1.6643771824549864),
        (8, -0.35032884874997366),
        (9, 0.3341791187130175),
        (10, 0.08192320648511571),
        (11, -0.022355307863886294),
    ],
    error_needs_end: false,
    coarse: Some(&[(0, 0.2440944881889764), (8, 0.7338466882816118), (11, 0.022058823529411766)]),
    dense_stages: &[
        TableauStage {
            c: 0.1,
            a: &[
                (0, 0.056167502283047954),
                (6, 0.25350021021662483),
                (7, -0.2462390374708025),
                (8, -0.12419142326381637),
                (9, 0.15329179827876568),
                (10, 0.00820105229563469),
                (11, 0.007567897660545699),
                (12, -0.008298),
            ],
        },
        TableauStage {
            c: 0.2,
            a: &[
                (0, 0.03183464816350214),
                (5, 0.028300909672366776),
                (6, 0.053541988307438566),
                (7, -0.05492374857139099),
                (10, -0.00010834732869724932),
                (11, 0.0003825710908356584),
                (12, -0.00034046500868740456),
                (13, 0.1413124436746325),
            ],
        },
        TableauStage {
            c: 0.7777777777777778,
            a: &[
                (0, -0.42889630158379194),
                (5, -4.697621415361164),
                (6, 7.683421196062599),
                (7, 4.06898981839711),
                (8, 0.3567271874552811),
                (12, -0.0013990241651590145),
                (13, 2.9475147891527724),
                (14, -9.15095847217987),
            ],
        },
    ],
    dense: &[
        &[
            (0, -8.428938276109013),
            (5, 0.5667149535193777),
            (6, -3.0689499459498917),
            (7, 2.38466765651207),
            (8, 2.117034582445028),
            (9, -0.871391583777973),
            (10, 2.2404374302607883),
            (11, 0.6315787787694688),
            (12, -0.08899033645133331),
            (13, 18.148505520854727),
            (14, -9.194632392478356),
            (15, -4.436036387594894),
        ],
        &[
            (0, 10.427508642579134),
            (5, 242.28349177525817),
            (6, 165.20045171727028),
            (7, -374.5467547226902),
            (8, -22.113666853125306),
            (9, 7.733432668472264),
            (10, -30.674084731089398),
            (11, -9.332130526430229),
            (12, 15.697238121770845),
            (13, -31.139403219565178),
            (14, -9.35292435884448),
            (15, 35.81684148639408),
        ],
        &[
            (0, 19.985053242002433),
            (5, -387.0373087493518),
            (6, -189.17813819516758),
            (7, 527.8081592054236),
            (8, -11.57390253995963),
            (9, 6.8812326946963),
            (10, -1.0006050966910838),
            (11, 0.7777137798053443),
            (12, -2.778205752353508),
            (13, -60.19669523126412),
            (14, 84.32040550667716),
            (15, 11.99229113618279),
        ],
        &[
            (0, -25.69393346270375),
            (5, -154.18974869023643),
            (6, -231.5293791760455),
            (7, 357.6391179106141),
            (8, 93.40532418362432),
            (9, -37.45832313645163),
            (10, 104.0996495089623),
            (11, 29.8402934266605),
            (12, -43.53345659001114),
            (13, 96.32455395918828),
            (14, -39.17726167561544),
            (15, -149.72683625798564),
        ],
    ],
    control: StepControl { memory: 0.0, memory_share: 0.2, shrink: 0.333, grow: 6.0 },
};
