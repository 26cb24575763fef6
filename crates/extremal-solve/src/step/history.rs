//! What is remembered of the last steps.

/// The unknowns of the last steps, per substep, for prediction by extrapolation.
#[derive(Clone)]
pub(crate) struct History {
    /// Newest first, `DEPTH` vectors per substep.
    pub values: Vec<f64>,
    unknowns: usize,
    /// Steps that are known of each substep,
    filled: Vec<usize>,
    /// and of all of them.
    known: usize,
    /// So many must be known before a step is fused.
    fewest: usize,
}

/// Steps that are remembered. A polynomial through so many magnifies the round-off of its points some hundred times, which an update
/// by Newton's method squares away.
pub const DEPTH: usize = 8;
/// Steps that must be known before one is fused.
const FEWEST: usize = 1;
/// Points used for extrapolation where steps may be rough.
const POINTS: usize = 6;

/// What the values of the last steps, newest first, count in extending the polynomial through the last so many of them by a step:
/// binomial coefficients with alternating signs.
pub const WEIGHTS: [[f64; DEPTH]; DEPTH + 1] = {
    let mut weights = [[0.0; DEPTH]; DEPTH + 1];
    let mut known = 1;
    while known <= DEPTH {
        let (mut age, mut weight) = (0, 1);
        while age < known {
            weight = -weight * (age as i64 - known as i64) / (age as i64 + 1);
            weights[known][age] = if age % 2 == 0 { weight as f64 } else { -(weight as f64) };
            age += 1;
        }
        known += 1;
    }
    weights
};

impl History {
    pub fn new(substeps: usize, unknowns: usize) -> Self {
        let (values, filled) = (vec![0.0; substeps * DEPTH * unknowns], vec![0; substeps]);
        History { values, unknowns, known: least(&filled), filled, fewest: FEWEST }
    }

    /// Of the unknowns of stages, for which only a good prediction will do.
    pub fn of_stages(unknowns: usize) -> Self {
        History { fewest: DEPTH, ..History::new(1, unknowns) }
    }

    /// Is the prediction as good as it gets?
    pub fn is_full(&self) -> bool {
        self.unknowns == 0 || self.known == DEPTH
    }

    /// Is there enough for a prediction that Newton's method makes good in a few updates?
    pub fn is_enough(&self) -> bool {
        self.unknowns == 0 || self.known >= self.fewest
    }

    /// How many steps are known of every substep.
    pub fn known(&self) -> usize {
        self.known
    }

    pub fn known_after_a_step(&self) -> usize {
        if self.unknowns == 0 { DEPTH } else { (self.known + 1).min(DEPTH) }
    }

    /// So many more steps are known, which were kept elsewhere.
    pub fn grow(&mut self, steps: u64) {
        if self.known < DEPTH {
            let steps = steps.min(DEPTH as u64) as usize;
            self.filled.iter_mut().for_each(|filled| *filled = (*filled + steps).min(DEPTH));
            self.known = least(&self.filled);
        }
    }

    /// Nothing is known any more of a substep.
    pub fn forget_substep(&mut self, substep: usize) {
        (self.filled[substep], self.known) = (0, 0);
    }

    pub fn forget(&mut self) {
        self.filled.fill(0);
        self.known = least(&self.filled);
        self.values.fill(0.0);
    }

    /// Fills `guess` by extrapolation; false while too little is known.
    pub fn predict(&self, substep: usize, guess: &mut [f64]) -> bool {
        let filled = self.filled[substep].min(POINTS);
        if filled < 2 {
            return false;
        }
        let n = self.unknowns;
        let past = &self.values[substep * DEPTH * n..][..filled * n];
        guess.fill(0.0);
        for (values, weight) in past.chunks_exact(n).zip(WEIGHTS[filled]) {
            guess.iter_mut().zip(values).for_each(|(g, v)| *g += weight * v);
        }
        true
    }

    pub fn push(&mut self, substep: usize, newest: &[f64]) {
        let n = self.unknowns;
        let past = &mut self.values[substep * DEPTH * n..][..DEPTH * n];
        past.copy_within(..(DEPTH - 1) * n, n);
        past[..n].copy_from_slice(newest);
        self.filled[substep] = (self.filled[substep] + 1).min(DEPTH);
        self.known = least(&self.filled);
    }
}

fn least(filled: &[usize]) -> usize {
    filled.iter().copied().min().unwrap_or(DEPTH)
}
