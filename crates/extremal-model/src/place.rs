//! Where expressions stand, and what they may depend on there.

/// The highest time derivative of a coordinate that a Lagrangian may contain.
pub const MAX_ORDER: u32 = 4;

/// Which controls may occur at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ControlUse {
    /// None.
    None,
    /// All of them.
    Any,
    /// All of them, and the rates of those that have one.
    WithRates,
    /// Those that have a value at the ends of a motion.
    AtEnds,
}

/// A place where an expression stands, which decides what it may depend on.
pub(crate) struct ExpressionPlace {
    /// The place in words: "the Lagrangian".
    pub what: &'static str,
    /// What it may depend on, in words.
    pub may_use: &'static str,
    /// The highest time derivative of a coordinate; `None` if no coordinate may occur.
    pub order: Option<u32>,
    /// What would make higher ones possible.
    pub order_help: Option<&'static str>,
    pub time: bool,
    /// May entropies and states occur?
    pub entropies: bool,
    /// Entropies, but no states?
    pub stateless: bool,
    /// What to do where a condition was written, if that is not obvious.
    pub condition_help: Option<&'static str>,
    /// May the step `h` occur?
    pub step: bool,
    /// Are coordinates and entropies known at both ends of a step instead (`x_0`, `x_1`)?
    pub ends: bool,
    /// Are coordinates also known one step after that (`x_2`)?
    pub third: bool,
    /// May controls occur?
    pub controls: ControlUse,
    /// Is what moves known at both ends of the motion instead (`x_start`, `x_end`)?
    pub linked: bool,
    /// Is the elapsed part of the duration known, as `s`?
    pub elapsed: bool,
    /// May multipliers of constraints occur, as `lambda_rod`?
    pub multipliers: bool,
    /// May all that follows from the equations: momenta, reactions, temperatures, chemical potentials, the energy?
    pub derived: bool,
}

impl ExpressionPlace {
    const fn new(what: &'static str, may_use: &'static str, order: Option<u32>, time: bool) -> ExpressionPlace {
        ExpressionPlace {
            what,
            may_use,
            order,
            order_help: None,
            time,
            entropies: false,
            stateless: false,
            condition_help: None,
            step: false,
            ends: false,
            third: false,
            controls: ControlUse::None,
            linked: false,
            elapsed: false,
            multipliers: false,
            derived: false,
        }
    }

    /// A place that sees the state of the system: positions, velocities, entropies and time.
    const fn of_state(what: &'static str) -> ExpressionPlace {
        let may_use = "positions, velocities, entropies, states, time and parameters";
        ExpressionPlace { entropies: true, ..ExpressionPlace::new(what, may_use, Some(1), true) }
    }

    pub const PARAMETER: ExpressionPlace =
        ExpressionPlace::new("the value of a parameter", "numbers and other parameters", None, false);
    /// Here the name of what moves is what it starts with.
    pub const INITIAL: ExpressionPlace = ExpressionPlace {
        entropies: true,
        ..ExpressionPlace::new("an initial value", "numbers, parameters and other starts (`x`, `x'`)", Some(1), false)
    };
    pub const SECOND: ExpressionPlace = ExpressionPlace {
        step: true,
        what: "a second position",
        may_use: "numbers, parameters, starts (`x`, `x'`) and the step `h`",
        ..ExpressionPlace::INITIAL
    };
    pub const MULTIPLIER: ExpressionPlace =
        ExpressionPlace::new("the multiplier at the start", "numbers and parameters", None, false);
    pub const COUNT: ExpressionPlace = ExpressionPlace::new("a count", "integers and integer parameters", None, false);
    pub const SETTING: ExpressionPlace = ExpressionPlace::new("a setting", "numbers and parameters", None, false);
    pub const PACE: ExpressionPlace = ExpressionPlace::new("a pace", "positions and parameters", Some(0), false);
    pub const SHARE: ExpressionPlace =
        ExpressionPlace::new("a share of the friction heat", "numbers and parameters", None, false);
    pub const ENTROPY: ExpressionPlace = ExpressionPlace {
        entropies: true,
        ..ExpressionPlace::new(
            "the name of an entropy",
            "an entropy, with an index if it is one of a family",
            None,
            false,
        )
    };
    pub const AMOUNT: ExpressionPlace = ExpressionPlace {
        what: "the name of an amount",
        may_use: "an amount of matter, with an index if it is one of a family",
        ..ExpressionPlace::ENTROPY
    };
    pub const BRACKET: ExpressionPlace = ExpressionPlace {
        entropies: true,
        ..ExpressionPlace::new("a Poisson bracket", "the variables of [poisson] and parameters", None, false)
    };
    pub const POISSON_HAMILTONIAN: ExpressionPlace = ExpressionPlace {
        entropies: true,
        ..ExpressionPlace::new("the Hamiltonian", "the variables of [poisson], time and parameters", None, true)
    };
    pub const DOMAIN: ExpressionPlace = ExpressionPlace::of_state("a domain");
    pub const DEFINITION: ExpressionPlace = ExpressionPlace {
        entropies: true,
        ..ExpressionPlace::new(
            "a definition",
            "positions, their time derivatives up to the fourth, entropies, states, time and parameters",
            Some(MAX_ORDER),
            true,
        )
    };
    pub const LAGRANGIAN: ExpressionPlace = ExpressionPlace {
        order_help: Some("accelerations need the method `hermite` or `difference`, or a table [boundary]"),
        ..ExpressionPlace::of_state("the Lagrangian")
    };
    /// With a method or a boundary problem for accelerations.
    pub const HIGHER_LAGRANGIAN: ExpressionPlace = ExpressionPlace {
        order: Some(MAX_ORDER),
        order_help: None,
        may_use: "positions, their time derivatives up to the fourth, entropies, states, time and parameters",
        ..ExpressionPlace::LAGRANGIAN
    };
    pub const HAMILTONIAN: ExpressionPlace = ExpressionPlace {
        entropies: true,
        order_help: Some("the Hamiltonian is written by momenta instead of velocities: `p_x` is the momentum of `x`"),
        ..ExpressionPlace::new(
            "the Hamiltonian",
            "positions, momenta (`p_x`), entropies, time and parameters",
            Some(0),
            true,
        )
    };
    pub const FORCE: ExpressionPlace =
        ExpressionPlace { controls: ControlUse::Any, ..ExpressionPlace::of_state("a force") };
    pub const RATE: ExpressionPlace =
        ExpressionPlace { what: "the rate of a state", controls: ControlUse::Any, ..ExpressionPlace::INTEGRAND };
    pub const FRICTION: ExpressionPlace = ExpressionPlace::of_state("a friction force");
    pub const DISSIPATION: ExpressionPlace = ExpressionPlace::of_state("the dissipation");
    pub const DRY: ExpressionPlace = ExpressionPlace {
        multipliers: true,
        may_use: "positions, velocities, entropies, states, multipliers of constraints (`lambda_floor`), time and parameters",
        ..ExpressionPlace::of_state("the bound of a dry friction")
    };
    pub const ALONG: ExpressionPlace = ExpressionPlace::new(
        "the velocity of a sliding contact",
        "positions, velocities, time and parameters",
        Some(1),
        true,
    );
    pub const ACTED_ON: ExpressionPlace = ExpressionPlace::new(
        "what a control acts on",
        "a coordinate, or a definition of positions and time, with an index if it is one of a family",
        Some(0),
        true,
    );
    pub const GAIN: ExpressionPlace = ExpressionPlace::of_state("the gain of a control");
    pub const LAW: ExpressionPlace = ExpressionPlace::of_state("the law of a control");
    pub const BOUND: ExpressionPlace = ExpressionPlace::new("a bound", "numbers and parameters", None, false);
    pub const BOUNDARY: ExpressionPlace =
        ExpressionPlace::new("a value at an end", "numbers and parameters", None, false);
    pub const GUESS: ExpressionPlace = ExpressionPlace {
        elapsed: true,
        ..ExpressionPlace::new(
            "a guess",
            "the independent variable, the elapsed part `s` of the duration and parameters",
            None,
            true,
        )
    };
    pub const INTEGRAND: ExpressionPlace = ExpressionPlace {
        controls: ControlUse::WithRates,
        may_use: "positions, velocities, entropies, states, controls, time and parameters",
        ..ExpressionPlace::of_state("an integral")
    };
    pub const RUNNING: ExpressionPlace = ExpressionPlace { what: "the running cost", ..ExpressionPlace::INTEGRAND };
    pub const TERMINAL: ExpressionPlace = ExpressionPlace::of_state("the terminal cost");
    pub const PATH_CONDITION: ExpressionPlace = ExpressionPlace {
        what: "a condition along the way",
        multipliers: true,
        may_use: "positions, velocities, entropies, states, controls, multipliers of constraints (`lambda_rod`), time and parameters",
        ..ExpressionPlace::INTEGRAND
    };
    /// The largest value along the way is bounded by conditions along the way.
    pub const MAXIMUM: ExpressionPlace = ExpressionPlace { what: "the maximum", ..ExpressionPlace::PATH_CONDITION };
    pub const END_CONDITION: ExpressionPlace = ExpressionPlace {
        controls: ControlUse::AtEnds,
        may_use: "positions, velocities, entropies, states, controls that are linear in the steps, time and parameters",
        ..ExpressionPlace::of_state("a condition at an end")
    };
    /// Here `x_start` is the value of `x` at the start of the motion, and `x_end` that at its end.
    pub const LINK: ExpressionPlace = ExpressionPlace {
        what: "a link between both ends",
        linked: true,
        time: false,
        may_use: "what moves with `_start` or `_end` behind its name (`x_end`, `x_start'`), and parameters",
        ..ExpressionPlace::END_CONDITION
    };
    pub const HEAT: ExpressionPlace = ExpressionPlace::of_state("a heat power");
    pub const PORT: ExpressionPlace = ExpressionPlace::of_state("a port");
    pub const CONDUCTANCE: ExpressionPlace = ExpressionPlace {
        entropies: true,
        ..ExpressionPlace::new("a conductance", "positions, entropies, states, time and parameters", Some(0), true)
    };
    pub const CONSTRAINT: ExpressionPlace = ExpressionPlace {
        order_help: Some(
            "only a vakonomic constraint may contain accelerations, with the method `hermite` or `difference` or a table \
             [boundary]",
        ),
        may_use: "positions, velocities, entropies, time and parameters",
        stateless: true,
        ..ExpressionPlace::of_state("a constraint")
    };
    /// With a method or a boundary problem for accelerations.
    pub const VAKONOMIC: ExpressionPlace = ExpressionPlace {
        order: Some(MAX_ORDER),
        order_help: None,
        may_use: "positions, their time derivatives up to the fourth, time and parameters",
        entropies: false,
        ..ExpressionPlace::CONSTRAINT
    };
    pub const OUTPUT: ExpressionPlace = ExpressionPlace {
        order: Some(2),
        multipliers: true,
        derived: true,
        may_use: "positions, velocities, accelerations, entropies, states, time and parameters, and what follows from the equations: \
                  momenta `p_x`, multipliers `lambda_rod`, reactions `reaction_x`, temperatures `T_S`, potentials `mu_N`, the `energy`",
        ..ExpressionPlace::of_state("an output")
    };
    pub const DRAWING: ExpressionPlace = ExpressionPlace {
        order: Some(1),
        controls: ControlUse::Any,
        what: "a drawing",
        may_use: "positions, velocities, entropies, states, controls, time and parameters, and what follows from the equations: \
                  momenta `p_x`, multipliers `lambda_rod`, reactions `reaction_x`, temperatures `T_S`, potentials `mu_N`, the `energy`",
        ..ExpressionPlace::OUTPUT
    };
    pub const INVARIANT: ExpressionPlace = ExpressionPlace::of_state("an invariant");
    pub const QUANTITY: ExpressionPlace = ExpressionPlace {
        order: Some(MAX_ORDER),
        controls: ControlUse::Any,
        multipliers: true,
        may_use: "positions, their time derivatives, entropies, states, controls, multipliers of constraints (`lambda_rod`), time and parameters",
        ..ExpressionPlace::of_state("a quantity")
    };
    pub const STOP: ExpressionPlace = ExpressionPlace {
        condition_help: Some("a run stops where an expression crosses zero: write the difference of both sides"),
        ..ExpressionPlace::of_state("a stop")
    };
    pub const EVENT: ExpressionPlace = ExpressionPlace {
        what: "an event",
        condition_help: Some(
            "an event happens where an expression crosses zero: write the difference of both sides, or `obstacle` for a condition that \
             holds along the motion",
        ),
        ..ExpressionPlace::STOP
    };
    pub const CHANGE: ExpressionPlace = ExpressionPlace::of_state("a value after an event");
    pub const RESTITUTION: ExpressionPlace = ExpressionPlace::of_state("a restitution");
    pub const OBSTACLE: ExpressionPlace = ExpressionPlace {
        order_help: Some("an obstacle is met in space and time; where velocities matter, write `when` and `set`"),
        ..ExpressionPlace::new("an obstacle", "positions, time and parameters", Some(0), true)
    };
    pub const GENERATOR: ExpressionPlace = ExpressionPlace {
        order_help: Some("a symmetry that uses velocities states what it does to them too: `\"x'\" = ...`"),
        ..ExpressionPlace::new("the generator of a symmetry", "positions, time and parameters", Some(0), true)
    };
    /// With components for velocities or entropies.
    pub const LIFTED_GENERATOR: ExpressionPlace = ExpressionPlace {
        entropies: true,
        ..ExpressionPlace::new(
            "the generator of a symmetry of velocities and entropies",
            "positions, velocities, entropies and parameters",
            Some(1),
            false,
        )
    };
    pub const EXACT: ExpressionPlace = ExpressionPlace::new("a closed form", "time and parameters", None, true);
    pub const DISCRETE: ExpressionPlace = ExpressionPlace {
        entropies: true,
        step: true,
        ends: true,
        third: true,
        ..ExpressionPlace::new(
            "[discrete]",
            "positions `x_0`, `x_1` and `x_2`, entropies `S_0` and `S_1` at both ends of the step, the step `h`, time and parameters",
            None,
            true,
        )
    };
    pub const DIFFERENCE_MAP: ExpressionPlace = ExpressionPlace {
        what: "a finite-difference map",
        may_use: "positions `x_0` and `x_1` at both ends of the step, the step `h`, time and parameters",
        third: false,
        ..ExpressionPlace::DISCRETE_CONSTRAINT
    };
    pub const DISCRETE_COST: ExpressionPlace = ExpressionPlace {
        what: "a discrete cost",
        may_use: "positions `x_0`, `x_1` and `x_2` around a node, controls there, the step `h`, time and parameters",
        controls: ControlUse::Any,
        ..ExpressionPlace::DISCRETE_CONSTRAINT
    };
    pub const POINT: ExpressionPlace = ExpressionPlace {
        step: true,
        ..ExpressionPlace::new("a point", "numbers, parameters and the step `h`", None, false)
    };
    pub const ENTROPY_MAP: ExpressionPlace = ExpressionPlace {
        entropies: true,
        may_use: "entropies `S_0` and `S_1` at both ends of the step, the step `h`, time and parameters",
        ..ExpressionPlace::DIFFERENCE_MAP
    };
    pub const DIFFERENCE_TIME: ExpressionPlace = ExpressionPlace {
        step: true,
        ..ExpressionPlace::new(
            "the time of a finite-difference map",
            "the time `t` at the beginning of the step, the step `h` and parameters",
            None,
            true,
        )
    };
    pub const DISCRETE_CONSTRAINT: ExpressionPlace = ExpressionPlace {
        step: true,
        ends: true,
        third: true,
        ..ExpressionPlace::new(
            "a discrete constraint",
            "positions `x_0`, `x_1` and `x_2`, the step `h`, time and parameters",
            None,
            true,
        )
    };

    /// May entropies occur by their own names, not at an end of a step?
    pub fn sees_entropies(&self) -> bool {
        self.entropies && !self.ends
    }

    /// May states?
    pub fn sees_states(&self) -> bool {
        self.sees_entropies() && !self.stateless
    }
}
