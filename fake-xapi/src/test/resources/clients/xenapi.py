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
try:
    api.VM.start(halted, False, False)
    raise AssertionError("not refused")
except XenAPI.Failure as failure:
    assert failure.details == ["VM_BAD_POWER_STATE", halted, "halted", "running"], failure.details
try:
    api.VM.get_record("OpaqueRef:none")
    raise AssertionError("not refused")
except XenAPI.Failure as failure:
    assert failure.details == ["HANDLE_INVALID", "VM", "OpaqueRef:none"], failure.details
session.xenapi.session.logout()
print("CLIENT-OK vms=%d" % len(vms))
