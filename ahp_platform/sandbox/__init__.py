"""What may a program that we run for a tenant see of this machine, and how is all that it started ended?

Used for shells, agents and git. Source: DESIGN.md section 7.
"""

from ahp_platform.sandbox.announcement import announce as announce
from ahp_platform.sandbox.fence import Fence as Fence
from ahp_platform.sandbox.fence import home as home
from ahp_platform.sandbox.fence import started_in as started_in
from ahp_platform.sandbox.fence import wrapped as wrapped
from ahp_platform.sandbox.kinds import LOCAL as LOCAL
from ahp_platform.sandbox.kinds import NoSandbox as NoSandbox
from ahp_platform.sandbox.kinds import kind as kind
from ahp_platform.sandbox.kinds import works as works
