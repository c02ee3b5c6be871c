# PyPI XenAPI: records, events by the alias event_from, a task, failures with their details.
import ssl
import sys
import XenAPI

session = XenAPI.Session(sys.argv[1], ignore_ssl=True)
session.xenapi.login_with_password("root", "stillwater", "1.0", "python")
api = session.xenapi
vms = api.VM.get_all_records()
for each in ("pool", "host", "SR", "VIF", "VBD", "VDI", "network", "PIF", "message", "task"):
    getattr(api, each).get_all_records()
halted = next(
    ref for ref, vm in vms.items() if vm["power_state"] == "Halted" and not vm["is_a_template"]
)
batch = api.event_from(["VM", "task"], "", 1.0)
assert len([e for e in batch["events"] if e["class"] == "vm"]) == len(vms), "events"
assert batch["valid_ref_counts"]["vm"] == len(vms), "counts"
assert isinstance(batch["valid_ref_counts"]["vm"], int), "counts are numbers"
task = api.Async.VM.start(halted, False, False)
while api.task.get_status(task) == "pending":
    batch = api.event_from(["task"], batch["token"], 5.0)
assert api.task.get_status(task) == "success", api.task.get_error_info(task)
api.task.destroy(task)
assert api.VM.get_power_state(halted) == "Running"


def refused(call, *details):
    """The call fails with these details; a shorter list is their beginning."""
    try:
        call()
    except XenAPI.Failure as failure:
        assert failure.details[: len(details)] == list(details), failure.details
        return
    raise AssertionError("not refused: %s" % (details,))


refused(
    lambda: api.VM.start(halted, False, False),
    "VM_BAD_POWER_STATE", halted, "halted", "running",
)
refused(lambda: api.VM.get_record("OpaqueRef:none"), "HANDLE_INVALID", "VM", "OpaqueRef:none")
refused(lambda: api.VM.get_by_uuid("none"), "UUID_INVALID", "VM", "none")
refused(lambda: api.VM.get_record(), "MESSAGE_PARAMETER_COUNT_MISMATCH", "VM.get_record", "1", "0")
refused(lambda: api.VM.start(halted, "no", False), "INTERNAL_ERROR")
refused(lambda: api.VM.fly(halted), "MESSAGE_METHOD_UNKNOWN", "VM.fly")
refused(lambda: api.event_from(["VM"], "x", 0.0), "EVENT_FROM_TOKEN_PARSE_FAILURE", "x")
stranger = XenAPI.Session(sys.argv[1], ignore_ssl=True)
refused(
    lambda: stranger.xenapi.login_with_password("root", "wrong", "1.0", "python"),
    "SESSION_AUTHENTICATION_FAILED", "root",
)
reader = XenAPI.Session(sys.argv[1], ignore_ssl=True)
reader.xenapi.login_with_password("reader", "reader", "1.0", "python")
refused(lambda: reader.xenapi.VM.start(halted, False, False), "RBAC_PERMISSION_DENIED", "vm.start")
failed = reader.xenapi.Async.VM.start(halted, False, False)
assert reader.xenapi.task.get_error_info(failed)[0] == "RBAC_PERMISSION_DENIED"
reader.xenapi.session.logout()
session.xenapi.session.logout()
print("CLIENT-OK vms=%d" % len(vms))
