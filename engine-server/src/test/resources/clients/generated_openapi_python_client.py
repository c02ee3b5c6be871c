"""Uses a client that openapi-python-client made from the engine's own description."""

import base64
import os
import sys
import time

from stillwater_client import AuthenticatedClient
from stillwater_client.api.hosts import get_hosts
from stillwater_client.api.operations import get_operations_by_id
from stillwater_client.api.vms import get_vms, get_vms_by_id, post_vms_by_id_by_action
from stillwater_client.models import (
    AgedVmList,
    Operation,
    PostVmsByIdByActionAction,
    Problem,
    Vm,
    VmChanges,
    VmList,
)

address, vm = sys.argv[1:]
login = base64.b64encode(("admin@internal:" + os.environ["PW"]).encode()).decode()
client = AuthenticatedClient(base_url=address, token=login, prefix="Basic", raise_on_unexpected_status=True)

page = get_vms.sync(client=client, sort="name", total=True)
assert isinstance(page, VmList), page
names = [each.name for each in page.items]
assert page.total == len(names) > 0, page.total
assert all(isinstance(name, str) for name in names), names
assert vm in names, names

none = get_vms.sync(client=client, name="no such name")
assert isinstance(none, VmList) and none.items == [], none

aged = get_vms.sync(client=client, age=True)
assert isinstance(aged, AgedVmList), aged
assert [each.name.value for each in aged.items] == names

changes = get_vms.sync(client=client, since=page.revision)
assert isinstance(changes, VmChanges) and changes.removed == [], changes

assert all(isinstance(each.name, str) for each in get_hosts.sync(client=client).items)

operation = post_vms_by_id_by_action.sync(vm, PostVmsByIdByActionAction.START, client=client)
assert isinstance(operation, Operation), operation
while operation.ended_at is None:
    time.sleep(0.1)
    operation = get_operations_by_id.sync(operation.id, client=client)
assert operation.state == "succeeded", operation
started = get_vms_by_id.sync(vm, client=client)
assert isinstance(started, Vm) and started.name == vm and started.status == "up", started

problem = get_vms_by_id.sync("no-such-vm", client=client)
assert isinstance(problem, Problem) and problem.status == 404, problem
assert "no-such-vm" in problem.detail, problem

print("GENERATED-CLIENT-OK")
