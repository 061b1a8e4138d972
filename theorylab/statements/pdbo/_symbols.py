"""Symbols of PDBO. lambda is taken to have no units of its own."""

from __future__ import annotations

from theorylab.symbols import Side, symbol

# Nonnegative, so that they are other symbols than the momentum's alpha and anyone's beta.
vr_alpha = symbol("vr_alpha", r"\alpha", "weight of HGP's sum in VR-HGP's v", nonnegative=True)
vr_beta = symbol("vr_beta", r"\beta", "weight of Eq. (13) in VR-HGP's w", nonnegative=True)
terms = symbol("terms", "M", "terms of the hypergradient's series", integer=True, positive=True)
eta_A = symbol(
    "eta_A", r"\eta_A", "Assumption 8: 2 kappa times any d_y phi_i, d_y psi_i", side=Side.UPPER,
    positive=True,
)  # fmt: skip
eta_B = symbol(
    "eta_B", r"\eta_B", "Assumption 8: 2 kappa times any d_lambda phi_i, d_lambda psi_i", (0, 1),
    Side.UPPER, positive=True,
)  # fmt: skip
kappa = symbol(
    "kappa", r"\kappa", "sum over i, j of pbar_ji / dbar_{i -> j}, Eq. (34)", positive=True
)
eps_chance = symbol(
    "eps_chance", r"\epsilon", "chance with which the bound may fail", positive=True
)

# The error bounds (Theorems 1, 8, 10, 11) and Appendix H.
d_y = symbol("d_y", r"d_{\mathbf y}", "numbers of one client's y", integer=True, positive=True)
d_lambda = symbol(
    "d_lambda", r"d_{\lambda}", "hyperparameters of one client", integer=True, positive=True
)
batch = symbol("batch", "b", "samples of a minibatch, drawn with replacement", positive=True)
edge_spread = symbol(
    "edge_spread",
    r"\Sigma_{\bar p/\bar\delta}",
    "sum over i, j of pbar_ji^2 / dbar_{i -> j}^2",
    nonnegative=True,
)
edge_swing = symbol(
    "edge_swing",
    r"\Sigma_{\delta/\bar\delta-1}",
    "sum over i, j of pbar_ji^2 times the largest (delta / dbar_{i -> j} - 1)^2",
    nonnegative=True,
)
c_norm = symbol(
    "c_norm", r"\|c^{\mathbf y}\|", "norm of d_y Fbar", (1, -1), Side.UPPER, positive=True
)
independent_edges = symbol(
    "independent_edges", r"1_{\perp}", "1 if the edges of a round are independent"
)
omega_entry = symbol(
    "omega_entry", r"\partial\omega_i'/\partial\omega_i", "entry of d_y phi_i: SGP hands omega on"
)
op_A = symbol(
    "op_A", r"a", "largest ||A-hat||_2, ||A-bar||_2 of any draw", side=Side.UPPER, nonnegative=True
)
op_B = symbol(
    "op_B", r"\mathsf{b}", "largest ||B-hat||_2, ||B-bar||_2 of any draw", (0, 1), Side.UPPER,
    nonnegative=True,
)  # fmt: skip
phi_A = symbol(
    "phi_A", r"\phi_A", "largest ||d_y phi_i||_2 at the point", side=Side.UPPER, nonnegative=True
)
phi_B = symbol(
    "phi_B", r"\phi_B", "largest ||d_lambda phi_i||_2 at the point", (0, 1), Side.UPPER,
    nonnegative=True,
)  # fmt: skip
dev_A = symbol(
    "dev_A", r"\Delta_A", "largest ||d_y g_i - E|| + ||d_y h_i - E|| of one sample",
    side=Side.UPPER, nonnegative=True,
)  # fmt: skip
dev_B = symbol(
    "dev_B", r"\Delta_B", "largest ||d_lambda g_i - E|| + ||d_lambda h_i - E|| of one sample",
    (0, 1), Side.UPPER, nonnegative=True,
)  # fmt: skip
L_y = symbol("L_y", r"L_{\mathbf y}", "Assumption 10: of d_y g_i, d_y h_i", (0, -1), Side.UPPER)
omega_floor = symbol("omega_floor", "w", "least omega_i that is looked at", positive=True)
z_reach = symbol("z_reach", "R", "largest ||z_i|| that is looked at", (0, 1), nonnegative=True)
omega_unit = symbol(
    "omega_unit", r"1_\omega", "1, the length that ||y|| counts an omega of 1 as", (0, 1),
    positive=True,
)  # fmt: skip
hessian_slope = symbol(
    "hessian_slope", r"M_f", "Lipschitz constant of the Hessians of the f_i", (1, -3), Side.UPPER,
    nonnegative=True,
)  # fmt: skip
L_lambda = symbol(
    "L_lambda", r"L_\lambda", "Assumption 10: of d_lambda g_i, d_lambda h_i, over eta_B", (0, -1),
    Side.UPPER,
)  # fmt: skip
y_gap = symbol("y_gap", r"\textstyle\sum_i\|y_i^*-y_i^{(T)}\|", "how far y^(T) is", (0, 1))
c_gap = symbol(
    "c_gap", r"\|\tilde c^{\mathbf y}-c^{\mathbf y}\|", "c^y at y^(T) against y*", (1, -1)
)
c_lambda_gap = symbol(
    "c_lambda_gap", r"\|\tilde c^\lambda-c^\lambda\|", "c^lambda at y^(T) against y*", (1, 0)
)
hyper_magnitude = symbol(
    "hyper_magnitude",
    r"S_\lambda",
    "sum of the absolute values of all summands",
    (1, 0),
    Side.UPPER,
)
floor_B = symbol(
    "floor_B", r"\mathrm{sd}(\hat B c^{\mathbf y})", "spread of one round's B-hat c^y", (1, 0),
    nonnegative=True,
)  # fmt: skip
floor_A = symbol(
    "floor_A",
    r"\mathrm{sd}(\bar B (I - \bar A)^{-1} \hat A c^{\mathbf y})",
    "spread that one round's A-hat leaves in the whole series",
    (1, 0),
    nonnegative=True,
)
figure_data = symbol(
    "figure_data", r"1_{\mathrm{Fig. 2}}", "1 on the instance that stands for Figure 2's data"
)
summands = symbol("summands", r"N", "operations that one summand passes through", positive=True)

# Lemmas 2 to 7, the networks and the stationary point.
term_index = symbol(
    "term_index", "i", "which round a coefficient matrix belongs to", nonnegative=True, integer=True
)
rounds_left = symbol(
    "rounds_left", "(M-i)", "rounds after the i-th", nonnegative=True, integer=True
)
hgp_size = symbol(
    "hgp_size", r"n d_{\mathbf y}", "numbers of all clients' y", integer=True, positive=True
)
magnitude_w = symbol(
    "magnitude_w", r"S_w", "sum of the sizes of all summands of w", (1, -1), Side.UPPER
)
magnitude_v = symbol(
    "magnitude_v", r"S_v", "sum of the sizes of all summands of v", (1, 0), Side.UPPER
)
size_R = symbol("size_R", r"S_R", "sum of the sizes of all summands of a matrix", side=Side.UPPER)
outcomes = symbol("outcomes", r"N_{\mathrm{out}}", "outcomes an exact mean adds up", positive=True)
edge_weight = symbol("edge_weight", r"\bar p_{ts}", "mean weight from t to s", nonnegative=True)
edge_chance = symbol(
    "edge_chance", r"\bar\delta_{s\to t}", "how often s -> t is there", positive=True
)
dependence = symbol(
    "dependence", r"|\rho_{\delta\zeta}|", "how far an edge's chance depends on the minibatch"
)
cut_off = symbol("cut_off", r"N_{\not\to}", "ordered pairs of clients without a path")
one_way = symbol("one_way", r"N_{\rightharpoonup}", "ordered pairs with an edge one way only")
edge_covariance = symbol(
    "edge_covariance", r"\max|\mathrm{Cov}|", "of two different ordered edges of a round"
)
phi_slope = symbol(
    "phi_slope",
    r"\|\partial_{\mathbf y}\varphi\|",
    "largest ||d_y phi_i||_2, ||d_y psi_i||_2 at y* on y",
    side=Side.UPPER,
)
phi_slope_z = symbol(
    "phi_slope_z", r"\|\partial_{\mathbf z}\varphi\|", "the same on z alone", side=Side.UPPER
)
norm_A = symbol(
    "norm_A",
    r"\|\bar A_{zz}\|_2",
    "largest singular value of A-bar on z",
    side=Side.UPPER,
    nonnegative=True,
)
norm_A_full = symbol(
    "norm_A_full",
    r"\|\bar A\|_2",
    "largest singular value of A-bar on y = (z, omega)",
    side=Side.UPPER,
    nonnegative=True,
)
omega_eigenvalue = symbol(
    "omega_eigenvalue", r"\lambda_\omega", "eigenvalue of A-bar's omega block"
)
radius_A = symbol(
    "radius_A",
    r"\rho(\bar A_{zz})",
    "spectral radius of A-bar on z",
    side=Side.UPPER,
    nonnegative=True,
)
resolvent = symbol(
    "resolvent",
    r"\|(I-\bar A_{zz})^{-1}\|_2",
    "norm of the inverse",
    side=Side.UPPER,
    positive=True,
)
power_norm = symbol(
    "power_norm",
    r"\|\bar A_{zz}^M\|_2",
    "norm of the M-th power",
    side=Side.UPPER,
    nonnegative=True,
)
pull = symbol(
    "pull",
    r"\|\nabla f(x^\circ)\|",
    "norm of all grad f_i at the optimum of Eq. (1)",
    (1, -1),
    Side.UPPER,
    nonnegative=True,
)
balance_gap = symbol(
    "balance_gap",
    r"\gamma",
    "second eigenvalue of the symmetric part of (I - E P) diag(omega)",
    side=Side.LOWER,
    positive=True,
)
solve_room = symbol("solve_room", r"S_z", "forward error of a solve", (0, 1), Side.UPPER)
bias_room = symbol(
    "bias_room",
    r"\gamma_0",
    "the largest bias that rounding can make of 0",
    (1, 0),
    positive=True,
)
variance_u = symbol("variance_u", r"V_{1,0}", "variance of Eq. (12)'s estimate", (2, 0))
variance_w = symbol("variance_w", r"V_{0,1}", "variance of Eq. (13)'s estimate", (2, 0))
undirected = symbol("undirected", r"1_{\leftrightarrow}", "1 if edges come in pairs in every round")
step_after = symbol("step_after", r"1_{(4b)}", "1 if the step is after sending, Eq. (4b)")

# Section 2 and 5: special cases of SGP, and two solvers.
omega_start = symbol(
    "omega_start", r"|\omega^{(0)}-1|", "largest |omega_i^(0) - 1|", nonnegative=True
)
sums_gap = symbol("sums_gap", r"|P1-1|,|P^\top1-1|", "largest |row or column sum of any P^(t) - 1|")
average_gap = symbol("average_gap", r"|nP-11^\top|", "largest |n P_ij^(t) - 1|", nonnegative=True)
alone_gap = symbol("alone_gap", r"|P-I|", "largest |P_ij^(t) - 1_ij|", nonnegative=True)
schedule_gap = symbol(
    "schedule_gap", r"|P/P_K-1|", "the same where K divides t + 1, else of P^(t) from I",
    nonnegative=True,
)  # fmt: skip
asymmetry = symbol("asymmetry", r"\|\bar A-\bar A^\top\|_2", "how far A-bar is from symmetric")
accuracy = symbol(
    "accuracy", r"\varepsilon", "||c - (I - A) q|| over ||c||, to be reached", positive=True
)
cg_products = symbol("cg_products", r"N_{\mathrm{CG}}", "products that AID-CG needs", positive=True)
cg_iterations = symbol(
    "cg_iterations", r"k_{\mathrm{CG}}", "iterations that AID-CG needs", positive=True
)
cg_residual = symbol(
    "cg_residual", r"\|r_j^{\mathrm{CG}}\|/\|c\|", "residual of AID-CG after j iterations"
)

# Section 2's convergence, y^(T) and y*, Algorithm 2's estimates, and HGP's second moment.
self_weight = symbol(
    "self_weight", r"\theta", "smallest weight p_ii of any client", side=Side.LOWER,
    nonnegative=True,
)  # fmt: skip
omega_least = symbol(
    "omega_least", r"\omega_{\min}", "smallest omega*_i", side=Side.LOWER, positive=True
)
omega_most = symbol(
    "omega_most", r"\omega_{\max}", "largest omega*_i", side=Side.UPPER, positive=True
)
omega_ratio = symbol(
    "omega_ratio", r"\omega_{\max}/\omega_{\min}", "of omega*", side=Side.UPPER, positive=True
)
contraction = symbol(
    "contraction", r"\sigma_{\omega}", "norm of E P off omega*, in the norm weighted by 1/omega*",
    side=Side.UPPER, nonnegative=True,
)  # fmt: skip
start_gap = symbol(
    "start_gap", r"\|\omega^{(0)}-\omega^*\|", "distance of the start", side=Side.UPPER,
    nonnegative=True,
)  # fmt: skip
omega_room = symbol(
    "omega_room", r"S_\omega", "rounding of a mean square of omega", side=Side.UPPER, positive=True
)
z_room = symbol(
    "z_room", r"S_{zz}", "rounding of a mean square of z", (0, 2), Side.UPPER, positive=True
)
z_start = symbol(
    "z_start", r"\|z^{(0)}-z^*\|", "distance of the start", (0, 1), Side.UPPER, nonnegative=True
)
second_radius = symbol(
    "second_radius", r"\rho(E[\hat A\otimes\hat A])", "spectral radius of S -> E[A S A^T]",
    side=Side.UPPER, nonnegative=True,
)  # fmt: skip
lyapunov = symbol(
    "lyapunov", r"\|X\|_2", "X = I + E[A^T X A], the sum of all E|A..A u|^2", side=Side.UPPER,
    positive=True,
)  # fmt: skip
