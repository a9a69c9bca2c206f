"""A model library of the Franka Emika Robot that computes: for clients that move by it.

Kinematics by Franka's published Denavit-Hartenberg parameters. The mass matrix is a diagonal of one
kind of joint after the other; Coriolis and gravity torques are zero.
"""

from pathlib import Path

from model_library import compile_c

__all__ = ["build_fer_library"]

C_SOURCE = r"""
#include <math.h>
#include <string.h>
static const double A[8] = {0, 0, 0, 0.0825, -0.0825, 0, 0.088, 0};
static const double D[8] = {0.333, 0, 0.316, 0, 0.384, 0, 0, 0.107};
static const double SIN[8] = {0, -1, 1, 1, -1, 1, 1, 0};

static void times(const double *a, const double *b, double *out) {
  double r[16];
  for (int c = 0; c < 4; ++c)
    for (int i = 0; i < 4; ++i) {
      r[4 * c + i] = 0;
      for (int k = 0; k < 4; ++k) r[4 * c + i] += a[4 * k + i] * b[4 * c + k];
    }
  memcpy(out, r, sizeof r);
}

/* Frames 1 to `last`, 8 is the flange; columns first. */
static void frames(const double *q, int last, double T[8][16]) {
  double at[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  for (int i = 0; i < last; ++i) {
    double sa = SIN[i], ca = sa == 0 ? 1 : 0, t = i < 7 ? q[i] : 0, s = sin(t), c = cos(t);
    double step[16] = {c, s * ca, s * sa, 0, -s, c * ca, c * sa, 0,
                       0, -sa, ca, 0, A[i], -sa * D[i], ca * D[i], 1};
    times(at, step, at);
    memcpy(T[i], at, sizeof at);
  }
}

/* Of the frame `last`, moved by `tool` if there is one; in the base, or in the frame itself. */
static void jacobian(const double *q, int last, const double *tool, int body, double *out) {
  double T[8][16], end[16];
  frames(q, last, T);
  memcpy(end, T[last - 1], sizeof end);
  if (tool) times(end, tool, end);
  for (int j = 0; j < 7; ++j) {
    double v[6] = {0}, *z = T[j] + 8, *p = T[j] + 12;
    if (j < last) {
      double d[3] = {end[12] - p[0], end[13] - p[1], end[14] - p[2]};
      v[0] = z[1] * d[2] - z[2] * d[1];
      v[1] = z[2] * d[0] - z[0] * d[2];
      v[2] = z[0] * d[1] - z[1] * d[0];
      memcpy(v + 3, z, 3 * sizeof(double));
    }
    for (int h = 0; h < 2; ++h)
      for (int i = 0; i < 3; ++i) {
        double turned = 0;
        for (int k = 0; k < 3; ++k) turned += end[4 * i + k] * v[3 * h + k];
        out[6 * j + 3 * h + i] = body ? turned : v[3 * h + i];
      }
  }
}

#define FRAME(n)                                                                   \
  void O_T_J##n(const double q[7], double out[16]) {                               \
    double T[8][16];                                                               \
    frames(q, n, T);                                                               \
    memcpy(out, T[n - 1], sizeof T[0]);                                            \
  }
#define JACOBIANS(n)                                                               \
  void O_J_J##n(const double q[7], double out[42]) { jacobian(q, n, 0, 0, out); }  \
  void Ji_J_J##n(const double q[7], double out[42]) { jacobian(q, n, 0, 1, out); }
FRAME(1) FRAME(2) FRAME(3) FRAME(4) FRAME(5) FRAME(6) FRAME(7) FRAME(8)
JACOBIANS(2) JACOBIANS(3) JACOBIANS(4) JACOBIANS(5) JACOBIANS(6) JACOBIANS(7) JACOBIANS(8)

void O_J_J1(double out[42]) { double q[7] = {0}; jacobian(q, 1, 0, 0, out); }
void Ji_J_J1(double out[42]) { double q[7] = {0}; jacobian(q, 1, 0, 1, out); }
void O_T_J9(const double q[7], const double tool[16], double out[16]) {
  double T[8][16];
  frames(q, 8, T);
  times(T[7], tool, out);
}
void O_J_J9(const double q[7], const double t[16], double out[42]) { jacobian(q, 8, t, 0, out); }
void Ji_J_J9(const double q[7], const double t[16], double out[42]) { jacobian(q, 8, t, 1, out); }
void M_NE(const double q[7], const double I[9], double m, const double x[3], double out[49]) {
  for (int i = 0; i < 49; ++i) out[i] = i % 8 == 0 ? 1.0 / (1 + i / 8) : 0;
}
void c_NE(const double q[7], const double dq[7], const double I[9], double m, const double x[3],
          double out[7]) {
  memset(out, 0, 7 * sizeof(double));
}
void g_NE(const double q[7], const double g[3], double m, const double x[3], double out[7]) {
  memset(out, 0, 7 * sizeof(double));
}
"""


def build_fer_library(folder: Path) -> bytes:
    """Compile it with gcc; returns the shared object."""
    return compile_c(folder, C_SOURCE, "libfcimodels.so").read_bytes()
