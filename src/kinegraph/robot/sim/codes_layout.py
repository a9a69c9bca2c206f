"""The simulated robot's codes: modes, how requests end, kinds of requests, fixed numbers."""

# Robot modes, and the motion generators and controllers as the Move request numbers them.
MODE_OTHER, MODE_IDLE, MODE_MOVE, MODE_GUIDING, MODE_REFLEX, MODE_USER_STOPPED = 0, 1, 2, 3, 4, 5
MODE_RECOVERY = 6
JOINT_POSITION, JOINT_VELOCITY, CARTESIAN_POSITION, CARTESIAN_VELOCITY, NO_GENERATOR = 0, 1, 2, 3, 4
CARTESIAN_IMPEDANCE, EXTERNAL_CONTROLLER, OTHER_CONTROLLER = 1, 2, 3

# How a request or a motion ended; the names are those of the status tables.
STATUS_NAMES = (
    "Success",
    "CommandNotPossibleRejected",
    "InvalidArgumentRejected",
    "ReflexAborted",
    "EmergencyAborted",
    "Preempted",
    "InputErrorAborted",
    "Aborted",
    "MotionStarted",
    "Pending",
    "ManualErrorRecoveryRequiredRejected",
    "StartAtSingularPoseRejected",
    "CommandRejectedDueToActivatedSafetyFunctions",
    "PreemptedDueToActivatedSafetyFunctions",
)
SUCCESS, NOT_POSSIBLE, INVALID, REFLEX_ABORTED, EMERGENCY_ABORTED, PREEMPTED = 0, 1, 2, 3, 4, 5
INPUT_ERROR, ABORTED, MOTION_STARTED, PENDING = 6, 7, 8, 9
BY_HAND_ONLY, SINGULAR_START, SAFETY_REJECTED, SAFETY_PREEMPTED = 10, 11, 12, 13

# Requests to the loop.
R_CONNECT, R_DISCONNECT, R_MOVE, R_STOP, R_RECOVER = 1, 2, 3, 4, 5
R_COLLISION, R_JOINT_IMPEDANCE, R_CARTESIAN_IMPEDANCE, R_GUIDING = 6, 7, 8, 9
R_EE_TO_K, R_NE_TO_EE, R_LOAD, R_FILTERS = 10, 11, 12, 13
R_USER_STOP, R_RELEASE, R_REFLEX, R_PUSH, R_PUSH_JOINTS = 14, 15, 16, 17, 18
R_PLACE, R_TRUE_LOAD, R_GUIDE, R_INJECT = 19, 20, 21, 22
R_SAFETY, R_BY_HAND, R_WALL = 23, 24, 25
# Where the wrench of R_PUSH acts: at the end effector in base axes, at a point of the base, or in a
# frame that moves with the arm.
AT_END_EFFECTOR, IN_BASE, IN_END_EFFECTOR, IN_FLANGE = 0, 1, 2, 3
WALLS = 8

# What can be injected into a motion at a given cycle of it.
INJECT_REFLEX, INJECT_USER_STOP, INJECT_COLLISION = 1, 2, 3
INJECTED_PUSH = -1  # a collision that is going on

ERROR_COUNT = 41
WINDOW = 100
DT = 1e-3
# Without Franka's extension of URDF the speed limit of a joint does not depend on its position.
NO_DECELERATION_LIMIT = 1e9
