/* How fast this machine places the tip of an arm for a batch of configurations.
 *
 * The yardstick of `make bench`, compiled when it is run: rows of joint angles in, 4x4 matrices
 * out, double precision, one thread, the model as data. Every joint turns about its own z axis.
 * Two to eight configurations lie in the lanes of one vector; sine and cosine are polynomials after a
 * reduction by quarter turns, good for angles up to some thousand radians.
 */
#include <stdint.h>
#include <string.h>

/* As wide as the machine's registers: wider vectors are split badly. */
#if defined(__AVX512F__)
#define LANES 8
#elif defined(__AVX__)
#define LANES 4
#else
#define LANES 2
#endif
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t ints __attribute__((vector_size(8 * LANES)));

/* Origin of a joint in the frame before it: rows of rotation and translation. */
typedef struct { double m[3][4]; } origin;

static const double TWO_OVER_PI = 0.636619772367581343076;
static const double HALF_PI_HIGH = 1.57079632673412561417e+00; /* 33 bits, so k * it is exact */
static const double HALF_PI_LOW = 6.07710050650619224932e-11;
static const double ROUND = 6755399441055744.0; /* adding 1.5 * 2^52 rounds to a whole number */

static const double S[6] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,
                            -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                            -2.50507602534068634195e-08, 1.58969099521155010221e-10};
static const double C[6] = {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                            2.48015872894767294178e-05, -2.75573143513906633035e-07,
                            2.08757232129817482790e-09, -1.13596475577881948265e-11};

static inline lanes choose(ints mask, lanes yes, lanes no) {
    return (lanes)(((ints)yes & mask) | ((ints)no & ~mask));
}

static inline void sine_cosine(lanes angle, lanes *sine, lanes *cosine) {
    lanes shifted = angle * TWO_OVER_PI + ROUND;
    ints quarter = (ints)shifted;
    lanes count = shifted - ROUND;
    lanes r = angle - count * HALF_PI_HIGH - count * HALF_PI_LOW, z = r * r;
    lanes s = z * S[5] + S[4], c = z * C[5] + C[4];
    for (int i = 3; i >= 0; i--) {
        s = s * z + S[i];
        c = c * z + C[i];
    }
    s = r + r * z * s;
    c = 1.0 - 0.5 * z + z * z * c;
    ints odd = -(quarter & 1);
    lanes first = choose(odd, c, s), second = choose(odd, s, c);
    *sine = (lanes)((ints)first ^ ((quarter & 2) << 62));
    *cosine = (lanes)((ints)second ^ (((quarter + 1) & 2) << 62));
}

/* Multiply the frame in r (rotation) and p (place) by a constant origin. */
static inline void carry(lanes r[3][3], lanes p[3], const origin *by) {
    for (int i = 0; i < 3; i++) {
        lanes x = r[i][0], y = r[i][1], z = r[i][2];
        p[i] += x * by->m[0][3] + y * by->m[1][3] + z * by->m[2][3];
        for (int j = 0; j < 3; j++) r[i][j] = x * by->m[0][j] + y * by->m[1][j] + z * by->m[2][j];
    }
}

/* Twelve vectors to matrices; from memory, so that the frame itself stays in registers. */
static inline void scatter(const lanes *found, double *out) {
    for (int l = 0; l < LANES; l++, out += 16) {
        for (int i = 0; i < 12; i++) out[i] = found[i][l];
        out[12] = out[13] = out[14] = 0.0, out[15] = 1.0;
    }
}

static inline void place(const origin *model, const double *q, double *out) {
    lanes r[3][3], p[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) r[i][j] = (lanes){0} + model[0].m[i][j];
        p[i] = (lanes){0} + model[0].m[i][3];
    }
    for (int k = 0; k < JOINTS; k++) {
        lanes angle, s, c;
        for (int l = 0; l < LANES; l++) angle[l] = q[l * JOINTS + k];
        sine_cosine(angle, &s, &c);
        for (int i = 0; i < 3; i++) {
            lanes x = r[i][0], y = r[i][1];
            r[i][0] = x * c + y * s;
            r[i][1] = y * c - x * s;
        }
        carry(r, p, &model[k + 1]);
    }
    lanes found[12] = {r[0][0], r[0][1], r[0][2], p[0], r[1][0], r[1][1],
                       r[1][2], p[1], r[2][0], r[2][1], r[2][2], p[2]};
    scatter(found, out);
}

/* Model: JOINTS origins and the tip's offset; q: (n, JOINTS); out: (n, 4, 4). */
void place_rows(const origin *model, const double *q, long n, double *out) {
    long whole = n - n % LANES;
    for (long k = 0; k < whole; k += LANES) place(model, q + k * JOINTS, out + 16 * k);
    if (whole < n) {
        double rest[LANES * JOINTS] = {0}, poses[16 * LANES];
        memcpy(rest, q + whole * JOINTS, (n - whole) * JOINTS * sizeof(double));
        place(model, rest, poses);
        memcpy(out + 16 * whole, poses, (n - whole) * 16 * sizeof(double));
    }
}
