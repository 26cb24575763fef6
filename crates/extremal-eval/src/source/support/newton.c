/* Formulas: from parameters, given numbers and unknowns that were found to numbers. */
typedef void (*@formulas)(const @parameters *p, const double *given, const double *found, double *out);

static double @largest(int n, const double *x)
{
    double largest = 0.0;
    int i;
    for (i = 0; i < n; i++)
        if (fabs(x[i]) > largest || isnan(x[i]))
            largest = fabs(x[i]);
    return largest;
}

/* Factors a matrix, rows one after the other, by elimination with partial pivoting. Zero where it has no inverse. */
static int @factor(int n, double *a, int *order)
{
    int i, j, k;
    for (k = 0; k < n; k++) {
        int pivot = k;
        for (i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
                pivot = i;
        if (a[pivot * n + k] == 0.0 || !isfinite(a[pivot * n + k]))
            return 0;
        order[k] = pivot;
        for (j = 0; j < n && pivot != k; j++) {
            double swapped = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swapped;
        }
        for (i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            for (j = k + 1; j < n; j++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    }
    return 1;
}

/* Replaces the right-hand side b by the solution. */
static void @substitute(int n, const double *a, const int *order, double *b)
{
    int i, j;
    for (i = 0; i < n; i++) {
        double swapped = b[i];
        b[i] = b[order[i]];
        b[order[i]] = swapped;
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            b[i] -= a[i * n + j] * b[j];
    for (i = n - 1; i >= 0; i--) {
        for (j = i + 1; j < n; j++)
            b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}
#part newton
/* Newton's method for n unknowns, from `first` on among those that are found: `equations` gives residuals and their slopes row by
   row, `sizes` residuals and the sizes of their terms. It ends where every residual is round-off of its terms, or below the
   tolerance without falling any more, or where an update is round-off of the unknowns. */
static int @iterate(int n, int first, int linear, int damped, @formulas equations, @formulas sizes, const @parameters *p,
                    const double *given, double *found)
{
    double values[@LARGEST * (@LARGEST + 1)], update[@LARGEST], before[@LARGEST], checked[2 * @LARGEST];
    double previous = INFINITY, best = INFINITY;
    int order[@LARGEST], iteration, i;
    for (iteration = 0; iteration < (damped ? 40 : 12); iteration++) {
        double length, fraction = 1.0, residual = 0.0;
        int falling;
        memset(values, 0, sizeof values);
        equations(p, given, found, values);
        for (i = 0; i < n; i++)
            if (!isfinite(values[i]))
                return @NOT_FINITE;
        if (!@factor(n, values + n, order))
            return @SINGULAR;
        memcpy(update, values, (size_t)n * sizeof *update);
        @substitute(n, values + n, order, update);
        length = @largest(n, update);
        if (!isfinite(length))
            return @SINGULAR;
        memcpy(before, found + first, (size_t)n * sizeof *before);
        /* Far away an update is shortened until the next one, by the same slopes, would be smaller. */
        for (;; fraction *= 0.5) {
            if (fraction < 1.0 / 1024.0)
                return @NO_CONVERGENCE;
            for (i = 0; i < n; i++)
                found[first + i] = before[i] - fraction * update[i];
            if (!damped || linear || length <= 1e-8 * @largest(n, before))
                break;
            sizes(p, given, found, checked);
            @substitute(n, values + n, order, checked);
            if (@largest(n, checked) <= (1.0 - 0.25 * fraction) * length)
                break;
        }
        length *= fraction;
        falling = length < 0.5 * previous;
        previous = length;
        if (!linear && falling && length > 1e-8 * @largest(n, found + first))
            continue;
        sizes(p, given, found, checked);
        for (i = 0; i < n; i++) {
            double size = checked[n + i] > 1e-292 ? checked[n + i] : 1e-292, ratio = fabs(checked[i]) / size;
            if (isnan(ratio))
                return @NOT_FINITE;
            residual = ratio > residual ? ratio : residual;
        }
        if (residual <= @ROUND_OFF || (residual <= @TOLERANCE && residual > 0.5 * best)
            || length <= @ROUND_OFF * @largest(n, found + first))
            return 0;
        best = residual < best ? residual : best;
    }
    return @NO_CONVERGENCE;
}

/* By whole updates, or else by shortened ones. */
static int @newton(int n, int first, int linear, @formulas equations, @formulas sizes, const @parameters *p,
                   const double *given, double *found)
{
    double begin[@LARGEST];
    int damped, status = 0;
    memcpy(begin, found + first, (size_t)n * sizeof *begin);
    for (damped = 0; damped < 2; damped++) {
        memcpy(found + first, begin, (size_t)n * sizeof *begin);
        status = @iterate(n, first, linear, damped, equations, sizes, p, given, found);
        if (status == 0)
            return 0;
    }
    return status;
}
#part slopes
/* Slopes of k results by m numbers, on which n unknowns depend as well: `parts` has the slopes of the results by the numbers, of
   the results by the unknowns, of the residuals by the numbers and of the residuals by the unknowns, one after the other. */
static int @implicit_slopes(int k, int m, int n, double *parts, double *slopes)
{
    double *by_unknowns = parts + k * m, *residuals = by_unknowns + k * n, *matrix = residuals + n * m, column[@LARGEST];
    int order[@LARGEST], i, j, l;
    if (!@factor(n, matrix, order))
        return @SINGULAR;
    for (j = 0; j < m; j++) {
        for (l = 0; l < n; l++)
            column[l] = residuals[l * m + j];
        @substitute(n, matrix, order, column);
        for (i = 0; i < k; i++) {
            slopes[i * m + j] = parts[i * m + j];
            for (l = 0; l < n; l++)
                slopes[i * m + j] -= by_unknowns[i * n + l] * column[l];
        }
    }
    return 0;
}
