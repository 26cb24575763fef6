//! Models.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use extremal::{CompiledSimulation, Form, Model};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::errors::{diagnostics, raised};
use crate::function::PyFunction;
use crate::motion::{PyMotion, PyStream};
use crate::options::{StepOptions, method};
use crate::run::PyRun;
use crate::solution::PySolution;
use crate::solve::{counted_problems, solved, solved_many};
use crate::sweep::{counted, swept};
use crate::watch::PythonWatch;
use crate::{as_python, written_in_python};

/// A system as its author states it: coordinates, a Lagrangian, friction, heat, constraints, controls.
///
/// A model is read from a file or a text in the words of docs/model-file.md, taken from the gallery, or stated by keywords, each of
/// which is a table of the model file. Expressions are texts, or SymPy expressions.
///
/// >>> import extremal as ex
/// >>> m = ex.Model(
/// ...     "Pendulum",
/// ...     parameters={"l": 1.0},
/// ...     coordinates={"theta": 2.0},
/// ...     lagrangian="l^2*theta'^2/2 + 9.81*l*cos(theta)",
/// ... )
/// >>> m.coordinates, m.parameters
/// (('theta',), {'l': 1.0})
/// >>> m.run(step=0.01, until=10).steps
/// 1000
#[pyclass(frozen, name = "Model", module = "extremal")]
pub struct PyModel {
    model: Model,
    /// The simulation that was run last: to run it again compiles nothing.
    compiled: Mutex<Option<(StepOptions, CompiledSimulation)>>,
}

/// A simulation with everything compiled, to be run many times (see `Model.compile`).
///
/// >>> import extremal as ex
/// >>> swing = ex.gallery("pendulum").compile(step=0.01, steps=10)
/// >>> swing(l=2.0, theta=0.1)["theta"][0].item()
/// 0.1
#[pyclass(frozen, name = "CompiledSimulation", module = "extremal")]
pub struct PyCompiled {
    compiled: CompiledSimulation,
}

/// What a model is in a pickle: its text, and what was changed.
type PickledModel = (String, Vec<(String, String)>);

/// Values by name, from keywords.
fn values(given: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, f64)>> {
    given.into_iter().flatten().map(|(name, value)| Ok((name.str()?.to_string(), value.extract()?))).collect()
}

fn run_of(
    py: Python<'_>,
    compiled: &CompiledSimulation,
    given: &[(String, f64)],
    progress: Option<&Bound<'_, PyAny>>,
    source: &str,
) -> PyResult<PyRun> {
    let named: Vec<(&str, f64)> = given.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let task = |watch: &mut PythonWatch| match named.is_empty() {
        true => compiled.run_with(watch),
        false => compiled.with(&named)?.run_with(watch),
    };
    Ok(PyRun::of(PythonWatch::new(py, progress)?.over(py, source, task)?))
}

#[pymethods]
impl PyCompiled {
    /// Runs it with other values of parameters and starts, by keywords or by a dictionary (for `"theta'"`).
    #[pyo3(signature = (values=None, /, *, progress=None, **named))]
    fn __call__(
        &self,
        py: Python<'_>,
        values: Option<&Bound<'_, PyDict>>,
        progress: Option<&Bound<'_, PyAny>>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyRun> {
        let mut given = self::values(values)?;
        given.extend(self::values(named)?);
        run_of(py, &self.compiled, &given, progress, "")
    }
}

/// Sets parameters of a model: numbers, or expressions of other parameters.
fn with(py: Python<'_>, model: Model, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Model> {
    parameters.into_iter().flatten().try_fold(model, |model, (name, value)| {
        let value = value.str()?.to_string();
        model.with(&name.str()?.to_string(), value).map_err(|error| raised(py, &error, model.text()))
    })
}

pub fn gallery(name: &str, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<PyModel> {
    Python::attach(|py| {
        let model = Model::gallery(name).map_err(|error| raised(py, &error, ""))?;
        Ok(PyModel::of(with(py, model, parameters)?))
    })
}

impl PyModel {
    fn of(model: Model) -> PyModel {
        PyModel { model, compiled: Mutex::new(None) }
    }

    fn parsed(py: Python<'_>, text: &str, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<PyModel> {
        let model = Model::parse(text).map_err(|error| raised(py, &error, text))?;
        Ok(PyModel::of(with(py, model, parameters)?))
    }

    /// The compiled simulation with these options.
    fn compiled(&self, py: Python<'_>, options: StepOptions) -> PyResult<CompiledSimulation> {
        let mut last = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, compiled)) = &*last
            && *known == options
        {
            return Ok(compiled.clone());
        }
        drop(last.take());
        drop(last);
        let simulation = options.simulation(self.model.simulate())?;
        let compiled = py.detach(|| simulation.compile()).map_err(|error| raised(py, &error, self.model.text()))?;
        *self.compiled.lock().unwrap_or_else(PoisonError::into_inner) = Some((options, compiled.clone()));
        Ok(compiled)
    }
}

#[pymethods]
impl PyModel {
    #[new]
    #[pyo3(
        signature = (name="Model", **tables),
        text_signature = "(name='Model', *, lagrangian=None, hamiltonian=None, coordinates=None, parameters=None, **tables)"
    )]
    fn new(py: Python<'_>, name: &str, tables: Option<&Bound<'_, PyDict>>) -> PyResult<PyModel> {
        let text: String = written_in_python(py, "_statement", "toml")?.call((name,), tables)?.extract()?;
        PyModel::parsed(py, &text, None)
    }

    /// Reads a model file, with other values of its parameters if some are given.
    #[classmethod]
    #[pyo3(signature = (path, **parameters))]
    fn read(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        path: PathBuf,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyModel> {
        PyModel::parsed(py, &std::fs::read_to_string(path)?, parameters)
    }

    /// Reads the text of a model file.
    #[classmethod]
    #[pyo3(signature = (text, **parameters))]
    fn parse(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        text: &str,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyModel> {
        PyModel::parsed(py, text, parameters)
    }

    /// The same with other values of parameters: numbers, or expressions of other parameters.
    ///
    /// >>> import extremal as ex
    /// >>> ex.gallery("pendulum").with_(l=2).parameters["l"]
    /// 2.0
    #[pyo3(signature = (**parameters))]
    fn with_(&self, py: Python<'_>, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<PyModel> {
        Ok(PyModel::of(with(py, self.model.clone(), parameters)?))
    }

    /// The text it was read from.
    #[getter]
    fn text(&self) -> &str {
        self.model.text()
    }

    /// The name of the system.
    #[getter]
    fn name(&self) -> Option<String> {
        self.model.name()
    }

    /// What the system shows.
    #[getter]
    fn description(&self) -> Option<String> {
        self.model.description()
    }

    /// The names of the coordinates; a family has one for each member.
    #[getter]
    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.model.coordinates())
    }

    /// The parameters by name.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parameters = PyDict::new(py);
        for (name, value) in self.model.parameters() {
            parameters.set_item(name, value)?;
        }
        Ok(parameters)
    }

    /// The tables and keys of the model file, as a dictionary.
    #[getter]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_python(py, &self.model)
    }

    /// What is odd about the model without being wrong.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(diagnostics(py, &self.model.warnings(), self.model.text())?.into_any())
    }

    /// Runs it. What is not said of method, step and end is that of the model; `values` are other parameters and starts, with which
    /// nothing is compiled again. `progress` is True, or a function of steps done and steps in all.
    ///
    /// >>> import extremal as ex
    /// >>> m = ex.gallery("pendulum")
    /// >>> r = m.run(method="galerkin(2)", step=0.01, until=10)
    /// >>> r.energy.max_drift < 1e-6, r.warnings
    /// (True, [])
    /// >>> m.run(values={"theta": 0.1}, until=1)["theta"][0].item()
    /// 0.1
    ///
    /// `at` are the times of its rows, `sensitivity` the parameters and starts by which it is differentiated.
    ///
    /// >>> m.run(until=1, at=[0.5, 0.75], sensitivity=["l"])["dtheta/dl"].shape
    /// (2,)
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, method=None, step=None, start_time=None, until=None, steps=None, values=None, progress=None, start=None, entropy=None, constraints=None, project=None, singular=None, tolerance=None, reduce=None, at=None, sensitivity=None)"
    )]
    fn run(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyRun> {
        let (mut given, mut progress) = (Vec::new(), None);
        let options = StepOptions::read(options, |key, value| {
            match key {
                "values" => given = values(value.extract::<Option<Bound<'_, PyDict>>>()?.as_ref())?,
                "progress" => progress = Some(value.clone()),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let compiled = self.compiled(py, options)?;
        run_of(py, &compiled, &given, progress.as_ref(), self.model.text())
    }

    /// Compiles a simulation that is to be run many times, with other parameters and from other starts.
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, method=None, step=None, start_time=None, until=None, steps=None, start=None, entropy=None, constraints=None, project=None, singular=None, tolerance=None, reduce=None, at=None, sensitivity=None)"
    )]
    fn compile(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyCompiled> {
        let options = StepOptions::read(options, |_, _| Ok(false))?;
        Ok(PyCompiled { compiled: self.compiled(py, options)? })
    }

    /// Runs it row by row: an iterator of states, without an end where none is stated.
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, method=None, step=None, start_time=None, until=None, steps=None, start=None, entropy=None, constraints=None, project=None, singular=None, tolerance=None, reduce=None)"
    )]
    fn stream(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyStream> {
        let simulation = StepOptions::read(options, |_, _| Ok(false))?.simulation(self.model.simulate())?;
        let stream = py.detach(|| simulation.stream());
        stream.map(PyStream::of).map_err(|error| raised(py, &error, self.model.text()))
    }

    /// Begins a motion that goes on for as long as it is asked to, and whose parameters can be changed on the way.
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, method=None, step=None, start=None, entropy=None, constraints=None, project=None, singular=None, tolerance=None, reduce=None)"
    )]
    fn march(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyMotion> {
        let simulation = StepOptions::read(options, |_, _| Ok(false))?.simulation(self.model.simulate())?;
        let motion = py.detach(|| simulation.march());
        motion.map(PyMotion::of).map_err(|error| raised(py, &error, self.model.text()))
    }

    /// Runs an ensemble. `vary` maps parameters or starts to `(from, to, count)` or to values, whose combinations are taken; `random`
    /// maps them to distributions, of which `samples` are drawn for each. With `file` the rows go to a .csv or .parquet file, which is
    /// continued if it was interrupted. `members=(a, b)` are those members alone, with the rows that they have among all.
    ///
    /// With a Dask `client` the members are shared among its workers, in so many `shards`; with a `folder` that all of them see, each
    /// shard is a Parquet file there, and what comes are their paths.
    ///
    /// >>> import extremal as ex
    /// >>> e = ex.gallery("pendulum").sweep(vary={"l": (1, 2, 11)}, random={"theta": ex.normal(0, 0.1)}, samples=10, seed=1, until=1)
    /// >>> e.members, e["theta"].shape
    /// (110, (110,))
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, vary=None, random=None, samples=None, seed=0, record='end', every=None, file=None, threads=None, members=None, client=None, shards=None, folder=None, progress=None, method=None, step=None, start_time=None, until=None, steps=None, start=None, entropy=None, constraints=None, project=None, singular=None, tolerance=None, reduce=None)"
    )]
    fn sweep<'py>(slf: &Bound<'py, Self>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if options.is_some_and(|options| options.contains("client").unwrap_or(false)) {
            return written_in_python(py, "distributed", "swept")?.call((slf,), options);
        }
        let model = &slf.get().model;
        Ok(Bound::new(py, swept(py, model.sweep(), model.text(), options)?)?.into_any())
    }

    /// How many members a sweep with these options has.
    #[pyo3(signature = (**options))]
    fn _count(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<u64> {
        counted(py, self.model.sweep(), options)
    }

    /// Solves the boundary-value or control problem that the model states, and checks the solution.
    ///
    /// >>> import extremal as ex
    /// >>> s = ex.gallery("double-integrator").solve(steps=100)
    /// >>> s.status
    /// 'optimal'
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, steps=None, method=None, refine=None, seek=None, tolerance=None, start_from=None, progress=None)"
    )]
    fn solve(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<PySolution> {
        solved(py, self.model.solve(), self.model.text(), options)
    }

    /// Solves many problems: one for each combination of what varies, as for `sweep`, of parameters alone; with `starts`, each from so
    /// many shaken guesses besides (the column `start` is the number of the guess). Rows have `objective`, `duration`, `steps`,
    /// `iterations`, `residual`, `dual_residual`, `end_error` of a simulation and `grid_error` beside another grid; a problem without a
    /// solution is a row that says so. With `file`, `members`, `client`, `shards` and `folder` as for `sweep`.
    ///
    /// >>> import extremal as ex
    /// >>> e = ex.gallery("cart-pole-swing").solve_many(vary={"limit": [4, 20]}, steps=40)
    /// >>> e.status[0], e.failed, e["limit"].tolist()
    /// ('infeasible', 1, [4.0, 20.0])
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, vary=None, random=None, samples=None, seed=0, starts=0, file=None, threads=None, members=None, client=None, shards=None, folder=None, progress=None, steps=None, method=None, refine=None, seek=None, tolerance=None, start_from=None)"
    )]
    fn solve_many<'py>(slf: &Bound<'py, Self>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if options.is_some_and(|options| options.contains("client").unwrap_or(false)) {
            return written_in_python(py, "distributed", "solved")?.call((slf,), options);
        }
        let model = &slf.get().model;
        Ok(Bound::new(py, solved_many(py, model.solve(), model.text(), options)?)?.into_any())
    }

    /// How many members there are of many problems with these options.
    #[pyo3(signature = (**options))]
    fn _count_problems(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<u64> {
        counted_problems(py, self.model.solve(), options)
    }

    /// Compiles expressions of the model: of `t`, coordinates, `x'` and `x''`, entropies, states, controls, parameters and definitions;
    /// `energy`, `p_x`, `T_S` and the rate `S'` by their names. What comes is a function of NumPy arrays.
    ///
    /// >>> import extremal as ex
    /// >>> f = ex.gallery("pendulum").function("theta'", "theta''")
    /// >>> f.inputs
    /// ('t', 'theta', "theta'")
    #[pyo3(signature = (*expressions))]
    fn function(&self, py: Python<'_>, expressions: &Bound<'_, PyTuple>) -> PyResult<PyFunction> {
        let texts: Vec<String> =
            written_in_python(py, "_statement", "expressions")?.call1((expressions,))?.extract()?;
        if texts.is_empty() {
            return Err(PyTypeError::new_err("a function computes at least one expression"));
        }
        let asked: Vec<&str> = texts.iter().map(String::as_str).collect();
        let function = py.detach(|| self.model.function(&asked));
        function.map(PyFunction::of).map_err(|error| raised(py, &error, &asked.join("\n")))
    }

    /// The equations of the model: `m.equations.lagrange`, `.solved`, `.hamilton`, `.routh`, `.discrete("midpoint")`.
    #[getter]
    fn equations<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        written_in_python(slf.py(), "equations", "Equations")?.call1((slf,))
    }

    /// What is conserved, singular, stable.
    ///
    /// >>> import extremal as ex
    /// >>> [c.name for c in ex.gallery("kepler").analyze().conserved]
    /// ['energy', 'angular momentum', 'Laplace-Runge-Lenz y', 'Laplace-Runge-Lenz x']
    fn analyze<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let model = &slf.get().model;
        let found = py.detach(|| model.analyze());
        let conserved = as_python(py, &found.conserved())?;
        let parts = (slf, found.text(), found.latex(), conserved, as_python(py, &found)?);
        written_in_python(py, "analysis", "Analysis")?.call1(parts)
    }

    /// Errors and measured orders of methods against steps, one dictionary for each pair.
    ///
    /// >>> import extremal as ex
    /// >>> rows = ex.gallery("harmonic-oscillator").compare(methods=["midpoint"], steps=[0.1, 0.05])
    /// >>> abs(rows[1]["orders"][0] - 2) < 0.1
    /// True
    #[pyo3(signature = (*, methods=None, steps=None, until=None))]
    fn compare<'py>(
        &self,
        py: Python<'py>,
        methods: Option<Vec<String>>,
        steps: Option<Vec<f64>>,
        until: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let methods = methods.unwrap_or_default().iter().map(|text| method(text)).collect::<PyResult<Vec<_>>>()?;
        let mut comparison = self.model.compare().methods(methods).steps(steps.unwrap_or_default());
        if let Some(time) = until {
            comparison = comparison.until(time);
        }
        let rows = py.detach(|| comparison.run()).map_err(|error| raised(py, &error, self.model.text()))?;
        as_python(py, &rows)
    }

    /// Equations of one form: text, LaTeX, sections.
    #[pyo3(signature = (form, method=None))]
    fn _derive<'py>(&self, py: Python<'py>, form: &str, method: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let form = match form {
            "lagrange" => Form::Lagrange,
            "solved" => Form::Solved,
            "hamilton" => Form::Hamilton,
            "routh" => Form::Routh,
            "optimal" => Form::Optimal,
            _ => Form::Discrete,
        };
        let method = method.map(self::method).transpose()?;
        let data = py.detach(|| self.model.equations().data_of(form, method));
        as_python(py, &data.map_err(|error| raised(py, &error, self.model.text()))?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, PickledModel)> {
        let model = &slf.get().model;
        let changes = model.changes().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Ok((written_in_python(slf.py(), "_statement", "restored")?, (model.text().to_owned(), changes)))
    }

    /// Two models are equal when their texts are, and what was changed.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyModel>().is_ok_and(|other| {
            let other = &other.get().model;
            self.model.text() == other.text() && self.model.changes().eq(other.changes())
        })
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.model.text().hash(&mut hasher);
        hasher.finish()
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        written_in_python(slf.py(), "_display", "model")?.call1((slf,))
    }

    fn __repr__(&self) -> String {
        let name = self.model.name().unwrap_or_else(|| "Model".to_owned());
        format!("<Model {name}: {}>", crate::shown(self.model.coordinates().iter()))
    }
}
