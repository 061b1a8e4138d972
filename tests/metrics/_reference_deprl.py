"""Three scalar quadratics on a network that is not symmetric, and Algorithm 1 by plain loops."""

# F_i = A/2 (phi - a_i)^2 + B/2 (theta_i - b_i)^2 + c (phi - a_i)(theta_i - b_i), N = 3.
A, B, C, a, b = 1.0, 2.0, 0.5, [1.0, -2.0, 0.5], [0.0, 3.0, -1.0]
P = [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]]  # not symmetric
EDGES = {"name": "edge-list", "edges": [[j, i, P[i][j]] for i in range(3) for j in range(3)]}
RUN = {
    "problem": {
        "name": "coupled-quadratic",
        "A": [[[A]]] * 3,
        "B": [[[B]]] * 3,
        "C": [[[C]]] * 3,
        "a": [[v] for v in a],
        "b": [[v] for v in b],
    },
    "topology": EDGES,
    "clients": 3,
    "algorithm": {"alpha": 0.1, "beta": 0.2, "tau": 3},
    "rounds": 5,
    "x0": 0.7,
}


def g_phi(i, phi, theta):
    return A * (phi - a[i]) + C * (theta - b[i])


def g_theta(i, phi, theta):
    return B * (theta - b[i]) + C * (phi - a[i])


def f(phi, theta):
    total = 0.0
    for i in range(3):
        x, y = phi - a[i], theta[i] - b[i]
        total += A * x * x / 2 + B * y * y / 2 + C * x * y
    return total / 3


def algorithm_1(rounds, alpha, beta, tau, head):
    """(phi, theta(k), theta(k+1), phi(k+1)) of every round, line by line."""
    phi, theta = [0.7] * 3, [0.7] * 3
    for _ in range(rounds):
        new, half = [], []
        for i in range(3):
            t = theta[i]
            for _ in range(tau if head == "all-steps" else tau - 1):
                t -= alpha * g_theta(i, phi[i], t)
            new.append(t)
            half.append(phi[i] - beta * g_phi(i, phi[i], t))
        after = [sum(P[i][j] * half[j] for j in range(3)) for i in range(3)]
        yield phi, theta, new, after
        phi, theta = after, new


def M(phi, theta, new, each, alpha, beta, tau, m, L):
    bar = sum(phi) / 3
    G = sum(g_phi(i, bar, new[i]) for i in range(3)) / 3
    heads = [g_theta(i, bar, theta[i]) for i in range(3)]
    D = sum((v - bar) ** 2 for v in phi) / 3
    if each:
        return 2 * G**2 + alpha * m / beta * sum(h * h for h in heads) / 3 + L**2 * D
    return G**2 + alpha * tau / beta * (sum(heads) / 3) ** 2 + D
