norm(x) = foldl((size, value) -> abs(value) > size || isnan(value) ? abs(value) : size, x; init = 0.0)

"Factors a matrix, rows one after the other, by elimination with partial pivoting; nothing where it has no inverse."
function factor(n, a)
    order = zeros(Int, n)
    for k in 1:n
        pivot = k
        for i in k+1:n
            if abs(a[(i-1)*n+k]) > abs(a[(pivot-1)*n+k])
                pivot = i
            end
        end
        if a[(pivot-1)*n+k] == 0.0 || !isfinite(a[(pivot-1)*n+k])
            return nothing
        end
        order[k] = pivot
        for j in 1:n
            a[(k-1)*n+j], a[(pivot-1)*n+j] = a[(pivot-1)*n+j], a[(k-1)*n+j]
        end
        for i in k+1:n
            a[(i-1)*n+k] /= a[(k-1)*n+k]
            for j in k+1:n
                a[(i-1)*n+j] -= a[(i-1)*n+k] * a[(k-1)*n+j]
            end
        end
    end
    return order
end

"Replaces the right-hand side b by the solution."
function substitute(n, a, order, b)
    for i in 1:n
        b[i], b[order[i]] = b[order[i]], b[i]
    end
    for i in 1:n, j in 1:i-1
        b[i] -= a[(i-1)*n+j] * b[j]
    end
    for i in n:-1:1
        for j in i+1:n
            b[i] -= a[(i-1)*n+j] * b[j]
        end
        b[i] /= a[(i-1)*n+i]
    end
end
#part newton

"""
Newton's method for n unknowns, behind the `first` of those that are found: `equations` gives residuals and their slopes row by
row, `sizes` residuals and the sizes of their terms. It ends where every residual is round-off of its terms, or below the tolerance
without falling any more, or where an update is round-off of the unknowns.
"""
function updates(n, first, linear, damped, equations, sizes, p, given, found)
    previous, best = Inf, Inf
    checked = zeros(2n)
    for _ in 1:(damped ? 40 : 12)
        values = zeros(n + n * n)
        equations(p, given, found, values)
        update, matrix = values[1:n], values[n+1:end]
        all(isfinite, update) || return NOT_FINITE
        order = factor(n, matrix)
        order === nothing && return SINGULAR
        substitute(n, matrix, order, update)
        length = norm(update)
        isfinite(length) || return SINGULAR
        before = found[first+1:first+n]
        # Far away an update is shortened until the next one, by the same slopes, would be smaller.
        fraction = 1.0
        while true
            fraction < 1.0 / 1024.0 && return NO_CONVERGENCE
            found[first+1:first+n] = before - fraction * update
            if !damped || linear || length <= 1e-8 * norm(before)
                break
            end
            sizes(p, given, found, checked)
            step = checked[1:n]
            substitute(n, matrix, order, step)
            norm(step) <= (1.0 - 0.25 * fraction) * length && break
            fraction *= 0.5
        end
        length *= fraction
        falling = length < 0.5 * previous
        previous = length
        size = norm(found[first+1:first+n])
        if !linear && falling && length > 1e-8 * size
            continue
        end
        sizes(p, given, found, checked)
        residual = norm([checked[i] / max(checked[n+i], 1e-292) for i in 1:n])
        isnan(residual) && return NOT_FINITE
        settled = residual <= TOLERANCE && residual > 0.5 * best
        if residual <= ROUND_OFF || settled || length <= ROUND_OFF * size
            return 0
        end
        best = min(best, residual)
    end
    return NO_CONVERGENCE
end

"By whole updates, or else by shortened ones."
function newton(n, first, linear, equations, sizes, p, given, found)
    start = found[first+1:first+n]
    status = 0
    for damped in (false, true)
        found[first+1:first+n] = start
        status = updates(n, first, linear, damped, equations, sizes, p, given, found)
        status == 0 && return 0
    end
    return status
end
#part slopes

"""
Slopes of k results by m numbers, on which n unknowns depend as well: `parts` has the slopes of the results by the numbers, of the
results by the unknowns, of the residuals by the numbers and of the residuals by the unknowns.
"""
function implicit_slopes(k, m, n, parts, slopes)
    by_unknowns, residuals, matrix = parts[k*m+1:end], parts[k*(m+n)+1:end], parts[k*(m+n)+n*m+1:end]
    order = factor(n, matrix)
    order === nothing && return SINGULAR
    for j in 1:m
        column = [residuals[(l-1)*m+j] for l in 1:n]
        substitute(n, matrix, order, column)
        for i in 1:k
            slopes[(i-1)*m+j] = parts[(i-1)*m+j]
            for l in 1:n
                slopes[(i-1)*m+j] -= by_unknowns[(i-1)*n+l] * column[l]
            end
        end
    end
    return 0
end
