"""Tables for polars, pandas and Arrow."""

import numpy as np
import pyarrow

import extremal as ex


def test_a_run_is_an_arrow_table_without_a_copy():
    run = ex.gallery("double-pendulum").run(until=1)
    table = pyarrow.table(run)
    assert tuple(table.column_names) == run.columns and table.num_rows == len(run)
    column = table["θ1"].chunk(0).to_numpy()
    assert np.shares_memory(column, run["θ1"])
    del run
    assert np.isfinite(column).all()


def test_polars_and_pandas_have_the_same_numbers():
    run = ex.gallery("double-pendulum").run(until=1)
    frame, table = run.to_pandas(), run.to_polars()
    for name in run.columns:
        assert np.array_equal(frame[name], run[name]) and np.array_equal(table[name].to_numpy(), run[name])
    ensemble = ex.gallery("pendulum").sweep(vary={"theta": [0.1, 0.2]}, until=1, step=0.01)
    assert ensemble.to_pandas()["status"].tolist() == ["finished", "finished"]
    assert ensemble.to_arrow().num_rows == 2
    solution = ex.gallery("double-integrator").solve(steps=20)
    assert solution.to_polars().height == 21 and len(solution.to_pandas()) == 21
