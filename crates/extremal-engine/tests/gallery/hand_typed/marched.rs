//! Where each gallery model is after some steps of its own method, by an independent implementation.
//!
//! The numbers come from a Python program: the Lagrangian differentiated with sympy, the equations of the method typed from
//! the literature, Newton to round-off with numpy. Agreement is agreement on the discrete motion itself, not only on its
//! limit: a wrong weight, node or force share of the right order would show.

/// The discrete motion of one gallery file.
pub struct Marched {
    /// Name of the gallery file, without its extension.
    pub gallery: &'static str,
    /// Number of steps from the start, with the method and step of the file.
    pub steps: usize,
    /// Positions then, in the order of the file, all members of a family in turn.
    pub positions: &'static [f64],
    /// Thirty times the effect, on these positions, of a change of 1e-12 in the starting data: the room for a different
    /// order of operations and for Newton residuals of 3e-14 in every step.
    pub tolerance: f64,
}

/// The discrete motions, in alphabetical order of their gallery names.
pub const MARCHED: &[Marched] = &[
    Marched { gallery: "bead-on-wire", steps: 300, positions: &[136.63399291349572], tolerance: 2e-10 },
    Marched { gallery: "caldirola-kanai", steps: 800, positions: &[0.10606301042035028], tolerance: 4e-12 },
    Marched {
        gallery: "cart-pole",
        steps: 1000,
        positions: &[1.5476392968489843, 5.901101076139937],
        tolerance: 5e-10,
    },
    Marched {
        gallery: "chain-pendulum",
        steps: 1000,
        positions: &[
            0.06661673408736316,
            0.09176421414881125,
            0.09402007403509527,
            0.1799565971851588,
            0.18292861992415707,
            0.4621861203439228,
            0.9169491002923763,
            1.0919394544807755,
        ],
        tolerance: 6e-11,
    },
    Marched {
        gallery: "charged-particle",
        steps: 500,
        positions: &[0.5296127067548241, -2.680760971163528, 2.0000000000000018],
        tolerance: 4e-10,
    },
    Marched {
        gallery: "coupled-oscillators",
        steps: 300,
        positions: &[-0.96105996404255, 0.00861987377019666],
        tolerance: 2e-11,
    },
    Marched {
        gallery: "double-pendulum",
        steps: 500,
        positions: &[-0.6001620970117271, -3.1927262814334663],
        tolerance: 2e-8,
    },
    Marched { gallery: "driven-pendulum", steps: 500, positions: &[3.1464994425326736], tolerance: 3e-11 },
    Marched { gallery: "duffing", steps: 1500, positions: &[-0.27818403720120727], tolerance: 8e-11 },
    Marched { gallery: "elastic-floor", steps: 1500, positions: &[0.878836023040717], tolerance: 2e-11 },
    Marched {
        gallery: "elastic-pendulum",
        steps: 2000,
        positions: &[1.1981251531701096, -0.10141766067243507],
        tolerance: 3e-11,
    },
    Marched {
        gallery: "fermi-pasta-ulam",
        steps: 400,
        positions: &[
            -0.03136247865051294,
            -0.06243150092021542,
            -0.09291660696560836,
            -0.12253329078136789,
            -0.1510058798110861,
            -0.17807029995779505,
            -0.20347669134398336,
            -0.2269918430846419,
            -0.24840141882162542,
            -0.26751194872968254,
            -0.2841525680348702,
            -0.2981764866706056,
            -0.30946217941471565,
            -0.3179142905820557,
            -0.32346425197223283,
            -0.3260706171776238,
            -0.32571911943748016,
            -0.3224224638868699,
            -0.3162198682142346,
            -0.3071763683469253,
            -0.2953819077875534,
            -0.28095023060458074,
            -0.26401759883963943,
            -0.24474135525890212,
            -0.22329835199306503,
            -0.1998832647503991,
            -0.1747068110373359,
            -0.14799388927964519,
            -0.11998165401372661,
            -0.09091754052153098,
            -0.06105725052028191,
            -0.030662708888669992,
        ],
        tolerance: 2e-10,
    },
    Marched {
        gallery: "foucault-pendulum",
        steps: 1200,
        positions: &[0.4831437067068015, 0.8116817742526573],
        tolerance: 2e-11,
    },
    Marched {
        gallery: "geodesic-torus",
        steps: 400,
        positions: &[10.797093854610528, -0.3400726493402214],
        tolerance: 3e-10,
    },
    Marched { gallery: "harmonic-oscillator", steps: 400, positions: &[0.4118810238044896], tolerance: 2e-11 },
    Marched {
        gallery: "henon-heiles",
        steps: 1000,
        positions: &[0.03670891970202975, 0.6826922399021105],
        tolerance: 7e-11,
    },
    Marched { gallery: "kepler", steps: 400, positions: &[-0.7704076672742494, 0.7881458877683211], tolerance: 9e-10 },
    Marched { gallery: "moving-base", steps: 500, positions: &[0.12315436356577746], tolerance: 2e-11 },
    Marched { gallery: "pendulum", steps: 1000, positions: &[0.015578045013534872], tolerance: 2e-9 },
    Marched {
        gallery: "rayleigh-dissipation",
        steps: 500,
        positions: &[3.3398732057696643, 4.330063397114293],
        tolerance: 3e-10,
    },
    Marched { gallery: "relativistic-particle", steps: 100, positions: &[4.0991229173719494], tolerance: 3e-11 },
    Marched {
        gallery: "restricted-three-body",
        steps: 500,
        positions: &[0.537502764120061, 0.8311194046188105],
        tolerance: 7e-11,
    },
    Marched {
        gallery: "rotating-disc",
        steps: 1000,
        positions: &[1.2229269135670893, 0.2462321399098997],
        tolerance: 5e-11,
    },
    Marched {
        gallery: "spherical-pendulum",
        steps: 1000,
        positions: &[0.6932877826269466, 34.848752252274195],
        tolerance: 9e-11,
    },
    Marched {
        gallery: "swinging-atwood",
        steps: 500,
        positions: &[0.9453769379095943, 0.8889725076986243],
        tolerance: 6e-11,
    },
    Marched {
        gallery: "symmetric-top",
        steps: 500,
        positions: &[1.9823189171515432, 0.6210013209878722, 198.38361365888778],
        tolerance: 8e-9,
    },
    Marched {
        gallery: "three-body-figure-eight",
        steps: 400,
        positions: &[
            0.9700043701447999,
            -0.2430874688916423,
            -0.9700042883143843,
            0.24308753310891082,
            -8.182951971633672e-08,
            -6.4217220096334e-08,
        ],
        tolerance: 2e-9,
    },
    Marched {
        gallery: "toda-lattice",
        steps: 400,
        positions: &[
            -0.11326405005854707,
            -0.4437513086157622,
            -0.5875661398927261,
            0.07833903464463156,
            0.5514320600132011,
            0.5130467359598514,
            -0.02801993744897737,
            0.029783605398497646,
        ],
        tolerance: 5e-10,
    },
    Marched { gallery: "van-der-pol", steps: 1500, positions: &[-1.5427933307427988], tolerance: 3e-10 },
    Marched { gallery: "viscous-oscillator", steps: 800, positions: &[0.10619005511589674], tolerance: 4e-12 },
];
