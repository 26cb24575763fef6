//! What a model says of momenta: the Hamiltonian that states it, and the momenta that its motion starts from.

use extremal_expr::Expr;

use super::Model;

impl Model {
    /// The Hamiltonian, if the system is stated by one: an expression of positions, momenta under their names (`p_x`), entropies, time
    /// and parameters.
    ///
    /// ```
    /// use extremal_model::Model;
    /// let model = Model::from_toml(r#"
    ///     [coordinates]
    ///     x = { start = 1.0, momentum = 3.0 }
    ///     [dynamics]
    ///     hamiltonian = "p_x^2/4 + x^2/2"
    /// "#)?;
    /// assert_eq!(model.hamiltonian().unwrap().to_string(), "p_x^2/4 + x^2/2");
    /// assert_eq!(model.lagrangian().to_string(), "x'^2 - x^2/2");
    /// assert_eq!(model.initial().velocities, [1.5]);
    /// # Ok::<(), extremal_model::InvalidModel>(())
    /// ```
    pub fn hamiltonian(&self) -> Option<Expr<'_>> {
        self.content.hamiltonian.map(|hamiltonian| self.graph.expr(hamiltonian.expression))
    }

    /// Do the velocities at the start follow from stated momenta by a formula of the positions there?
    ///
    /// ```
    /// use extremal_model::Model;
    /// let model = Model::from_toml(r#"
    ///     coordinates.x = { start = 2.0, momentum = 3.0 }
    ///     dynamics.hamiltonian = "x*p_x^2/2"
    /// "#)?;
    /// assert!(model.start_follows_momenta() && model.initial().velocities == [6.0]);
    /// # Ok::<(), extremal_model::InvalidModel>(())
    /// ```
    pub fn start_follows_momenta(&self) -> bool {
        let Some(hamiltonian) = self.hamiltonian().filter(|_| self.momentum_coordinates() == 0) else { return false };
        let momenta: Vec<Expr<'_>> = (self.content.coordinates.iter())
            .map(|coordinate| self.graph.symbol(&format!("p_{}", coordinate.name)))
            .collect();
        let entropies = self.content.entropies.iter().map(|entropy| self.graph.expr(entropy.symbol));
        let placed: Vec<Expr<'_>> = self.positions().into_iter().chain(entropies).collect();
        let follows = self.content.coordinates.iter().any(|coordinate| coordinate.start_momentum.is_some());
        follows && self.graph.depend_on(&self.graph.gradient(hamiltonian, &momenta), &placed).contains(&true)
    }

    /// The number of momenta among the coordinates, which are then the last ones, as many as others before them. There are some only
    /// where a Hamiltonian has no Lagrangian in closed form.
    ///
    /// ```
    /// use extremal_model::Model;
    /// let model = Model::from_toml(r#"
    ///     [coordinates]
    ///     x = { start = 1.0, momentum = 3.0 }
    ///     [dynamics]
    ///     hamiltonian = "cosh(p_x) + x^2/2"
    /// "#)?;
    /// assert_eq!((model.momentum_coordinates(), &*model.coordinates()[1].name), (1, "p_x"));
    /// assert_eq!(model.lagrangian().to_string(), "p_x*x' - x^2/2 - cosh(p_x)");
    /// # Ok::<(), extremal_model::InvalidModel>(())
    /// ```
    pub fn momentum_coordinates(&self) -> usize {
        let phase_space = self.content.hamiltonian.is_some_and(|hamiltonian| hamiltonian.phase_space);
        if phase_space { self.content.coordinates.len() / 2 } else { 0 }
    }

    /// The order of the motion that a run follows from momenta, if the model states some: that of a Lagrangian with accelerations, or
    /// 2 for the optimality conditions of a control problem.
    ///
    /// ```
    /// use extremal_model::Model;
    /// let model = Model::from_toml(r#"
    ///     coordinates = { x = { start = 0, p0 = 1, p1 = 2 } }
    ///     dynamics = { lagrangian = "x'^2/2" }
    ///     controls = { u = "x" }
    ///     objective = { running = "u^2/2" }
    /// "#)?;
    /// assert_eq!((model.order(), model.momentum_order()), (1, Some(2)));
    /// assert_eq!(model.initial().momenta, [[1.0], [2.0]]);
    /// # Ok::<(), extremal_model::InvalidModel>(())
    /// ```
    pub fn momentum_order(&self) -> Option<u32> {
        self.content.momentum_order
    }
}
