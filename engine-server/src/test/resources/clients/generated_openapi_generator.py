"""Uses a client that openapi-generator (python) made from the engine's own description."""

import json
import os
import sys
import time

import openapi_client
from openapi_client.exceptions import NotFoundException

address, vm = sys.argv[1:]
configuration = openapi_client.Configuration(host=address, username="admin@internal", password=os.environ["PW"])


def ended(operations, operation):
    while operation.ended_at is None:
        time.sleep(0.1)
        operation = operations.get_operations_by_id(operation.id)
    assert operation.state == "succeeded", operation


with openapi_client.ApiClient(configuration) as client:
    vms = openapi_client.VmsApi(client)
    operations = openapi_client.OperationsApi(client)

    page = vms.get_vms(sort="name", total=True).actual_instance
    assert isinstance(page, openapi_client.VmList), type(page)
    names = [each.name for each in page.items]
    assert page.total == len(names) > 0, page.total
    assert all(isinstance(name, str) for name in names), names
    assert vm in names, names

    none = vms.get_vms(name="no such name").actual_instance
    assert isinstance(none, openapi_client.VmList) and none.items == [], none

    aged = vms.get_vms(age=True).actual_instance
    assert isinstance(aged, openapi_client.AgedVmList), type(aged)
    assert [each.name.value for each in aged.items] == names

    changes = vms.get_vms(since=page.revision).actual_instance
    assert isinstance(changes, openapi_client.VmChanges) and changes.removed == [], changes

    hosts = openapi_client.HostsApi(client).get_hosts().actual_instance
    assert all(isinstance(each.name, str) for each in hosts.items)

    definition = vms.get_vms_by_id_definition(vm)
    again = openapi_client.NewVm.from_json(definition.to_json())
    again.comment = "sent back"
    ended(operations, vms.put_vms_by_id_definition(vm, again))
    kept = vms.get_vms_by_id_definition(vm)
    assert kept.to_dict() == {**definition.to_dict(), "comment": "sent back"}, kept
    assert kept.consoles and kept.consoles[0].protocol == "vnc", kept

    ended(operations, vms.post_vms_by_id_by_action(vm, "start"))
    started = vms.get_vms_by_id(vm)
    assert started.name == vm and started.status == "up", started

    try:
        vms.get_vms_by_id("no-such-vm")
        raise AssertionError("found")
    except NotFoundException as refused:
        problem = openapi_client.Problem.from_dict(json.loads(refused.body))
        assert problem.status == 404 and "no-such-vm" in problem.detail, problem

print("GENERATED-CLIENT-OK")
