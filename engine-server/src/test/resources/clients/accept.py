"""Accepts a server of the oVirt REST API v4 by what the Python SDK sees of it.

Usage: PW=... accept.py URL [CA-FILE]   (URL ends in /ovirt-engine/api; without CA-FILE nothing is verified)
It wants at least two hosts that are up, two VMs that are up and one that is down and may be started. It starts, suspends, migrates and
stops VMs, and adds and removes one. The last line is PYTHON-SDK-OK.
"""
import os
import sys
import time

import ovirtsdk4 as sdk
import ovirtsdk4.types as t

URL = sys.argv[1]
CA = sys.argv[2] if len(sys.argv) > 2 else None
USER = os.environ.get('SW_USER', 'admin@internal')
NOBODY = '00000000-0000-0000-0000-0000000000ff'


def connect(password=os.environ['PW'], **more):
    return sdk.Connection(url=URL, username=USER, password=password, ca_file=CA, insecure=CA is None, **more)


def until(what, holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, 'not within %d s: %s' % (seconds, what)
        time.sleep(0.2)


def refused(code, call, kind=sdk.Error):
    try:
        call()
    except kind as e:
        assert e.code == code, '%s instead of %d: %s' % (e.code, code, e)
        return e
    raise AssertionError('%d was expected' % code)


c = connect()
assert c.test(raise_exception=True)
s = c.system_service()

# The root
api = s.get()
assert api.product_info.version.full_version and api.product_info.version.major == 4
assert api.summary.vms.total >= 3 and api.summary.hosts.total >= 1
assert api.special_objects.blank_template.id and api.time
print('version', api.product_info.version.full_version)

# VMs
vms = s.vms_service()
up = vms.list(search='status=up sortby name asc page 1', max=5)
assert len(up) >= 2 and all(v.status == t.VmStatus.UP for v in up)
assert [v.name for v in up] == sorted(v.name for v in up)
v = up[0]
assert v.id and v.cluster.id and v.host.id and v.template.id and v.memory > 0 and v.memory_policy.guaranteed > 0
assert v.cpu.topology.cores and v.cpu.topology.sockets and v.cpu.topology.threads
assert v.description is not None and v.comment is not None and v.type and v.os.type and v.start_time and v.creation_time
assert [x.id for x in vms.list(search='name=%s' % v.name)] == [v.id]
assert [x.id for x in vms.list(search='id=%s' % v.id)] == [v.id]
assert vms.list(search='name=there-is-no-such-vm') == []
assert vms.list(search="name='; drop table vm_static; --") == []
assert vms.list(max=1, search='sortby name desc')[0].name == max(x.name for x in vms.list())
vs = vms.vm_service(v.id)
assert vs.get().id == v.id
statistics = vs.statistics_service().list()
names = [x.name for x in statistics]
assert names[0] == 'memory.installed' and len(names) == 16, names
assert {'memory.used', 'cpu.current.total', 'elapsed.time', 'disks.usage', 'network.usage.history'} <= set(names)
one = vs.statistics_service().statistic_service(statistics[0].id).get()
assert one.name == 'memory.installed' and one.values[0].datum == v.memory
followed = vms.list(follow='statistics,nics', max=1)[0]
assert len(followed.statistics) == 16 and followed.nics is not None
assert c.follow_link(v.cluster).name and c.follow_link(v.host).name and c.follow_link(v.template).name
nics = c.follow_link(v.nics)
assert nics is not None
for nic in nics:
    assert nic.id and nic.name and nic.mac.address and nic.vm.id == v.id
    assert len(vs.nics_service().nic_service(nic.id).statistics_service().list()) == 8
for device in vs.reported_devices_service().list():
    assert device.name and device.type == t.ReportedDeviceType.NETWORK
snapshots = vs.snapshots_service().list()
assert snapshots[0].snapshot_type == t.SnapshotType.ACTIVE
for attachment in vs.disk_attachments_service().list():
    disk = c.follow_link(attachment.disk)
    assert disk.id == attachment.id and disk.provisioned_size is not None and disk.storage_domains is not None
for listing in (vs.graphics_consoles_service(), vs.cdroms_service(), vs.applications_service(), vs.sessions_service(),
                vs.tags_service(), vs.permissions_service(), vs.watchdogs_service(), vs.numa_nodes_service(),
                vs.affinity_labels_service(), vs.host_devices_service()):
    assert listing.list() is not None
pending = [vms.list(max=1, wait=False), s.hosts_service().list(max=1, wait=False)]
assert all(len(each.wait()) == 1 for each in pending)

# Hosts
hosts = s.hosts_service()
h = hosts.list(search='status=up')[0]
assert h.address and h.cluster.id and h.memory > 0 and h.cpu.speed > 0 and h.cpu.topology.cores and h.summary.total is not None
hs = hosts.host_service(h.id)
assert hs.get().name == h.name
assert len(hs.statistics_service().list()) >= 13
for nic in hs.nics_service().list():
    assert nic.id and nic.name
    assert len(hs.nics_service().nic_service(nic.id).statistics_service().list()) == 8
for node in hs.numa_nodes_service().list():
    assert node.index is not None
    assert len(hs.numa_nodes_service().node_service(node.id).statistics_service().list()) == 6
assert hosts.list(search='name=%s' % h.name)[0].id == h.id
assert len(vms.list(search='host=%s' % h.name)) >= 1

# Everything else that is served
cluster = s.clusters_service().list()[0]
assert cluster.name and cluster.version.major and cluster.data_center.id and cluster.cpu.architecture
assert c.follow_link(cluster.data_center).status == t.DataCenterStatus.UP
center = s.data_centers_service().list()[0]
assert center.name and center.version.major
assert s.data_centers_service().data_center_service(center.id).clusters_service().list()
assert all(x.name and x.type and (x.external_status or x.status) for x in s.storage_domains_service().list())
assert all(x.id and x.name and x.provisioned_size is not None for x in s.disks_service().list(max=5))
for disk in s.disks_service().list(max=1):
    assert len(s.disks_service().disk_service(disk.id).statistics_service().list()) >= 2
assert any(x.id == api.special_objects.blank_template.id for x in s.templates_service().list())
assert all(x.name and x.data_center.id for x in s.networks_service().list())
assert all(x.name for x in s.vnic_profiles_service().list())
assert s.vm_pools_service().list() is not None
assert any(x.user_name for x in s.users_service().list())
assert s.roles_service().list() is not None and s.tags_service().list() is not None
assert s.operating_systems_service().list() is not None
events = s.events_service().list(max=10)
assert events and all(e.index and e.time and e.description and e.code and e.severity for e in events)
assert [e.index for e in events] == sorted((e.index for e in events), reverse=True)
assert all(e.index > events[-1].index for e in s.events_service().list(from_=events[-1].index))
assert s.events_service().event_service(events[0].id).get().code == events[0].code
assert len(s.events_service().list(search='sortby time desc', max=2)) == 2

# Every service that the SDK has: what is not served is 404, whatever is served must be read
reached = set()


def methods(service, arguments):
    for name in dir(service):
        if name.endswith('_service') and not name.startswith('_'):
            method = getattr(service, name)
            if method.__code__.co_argcount - 1 == arguments:
                yield method


def walk(service, path, depth):
    for method in methods(service, 0):
        sub = method()
        at = path + '/' + sub._path.rsplit('/', 1)[1]
        if not hasattr(sub, 'list'):
            continue
        try:
            items = sub.list()
        except sdk.NotFoundError:
            continue
        reached.add(at)
        for one in list(methods(sub, 1))[:1]:
            for item in items[-1:]:
                single = one(item.id)
                if hasattr(single, 'get'):
                    assert single.get() is not None, at
                if depth < 3:
                    walk(single, at + '/{id}', depth + 1)


walk(s, '', 0)
print('services', len(reached))
expected = set('''
    /vms /hosts /clusters /datacenters /disks /events /jobs /storagedomains /templates /networks /vnicprofiles /vmpools /users /groups
    /domains /roles /permissions /tags /icons /operatingsystems /instancetypes /clusterlevels /macpools /affinitylabels /bookmarks
    /cpuprofiles /diskprofiles /imagetransfers /networkfilters /schedulingpolicies /schedulingpolicyunits /storageconnections
    /vms/{id}/nics /vms/{id}/diskattachments /vms/{id}/snapshots /vms/{id}/statistics /vms/{id}/permissions /vms/{id}/cdroms
    /vms/{id}/nics/{id}/statistics /vms/{id}/reporteddevices /vms/{id}/applications /vms/{id}/sessions /vms/{id}/watchdogs
    /vms/{id}/graphicsconsoles /vms/{id}/numanodes /vms/{id}/hostdevices /vms/{id}/affinitylabels /vms/{id}/tags
    /hosts/{id}/nics /hosts/{id}/statistics /hosts/{id}/numanodes /hosts/{id}/permissions /hosts/{id}/tags /hosts/{id}/devices
    /hosts/{id}/hooks /hosts/{id}/storage /hosts/{id}/fenceagents /hosts/{id}/nics/{id}/statistics
    /datacenters/{id}/clusters /datacenters/{id}/networks /datacenters/{id}/storagedomains /datacenters/{id}/permissions
    /clusters/{id}/networks /clusters/{id}/permissions /clusters/{id}/affinitygroups /disks/{id}/statistics /disks/{id}/permissions
    /storagedomains/{id}/disks /templates/{id}/nics /templates/{id}/diskattachments /roles/{id}/permits
    /networks/{id}/vnicprofiles /users/{id}/permissions
'''.split())
assert expected <= reached, 'not reached: %s' % sorted(expected - reached)

# What goes wrong
e = refused(409, vs.start)
assert e.fault.reason and e.fault.detail
refused(404, vms.vm_service(NOBODY).get, sdk.NotFoundError)
refused(404, vms.vm_service(NOBODY).start, sdk.NotFoundError)
refused(400, lambda: vms.list(follow='no_such_link'))
refused(400, hs.fence)
wrong = connect(password='wrong')
try:
    wrong.test(raise_exception=True)
    raise AssertionError('a wrong password must be refused')
except sdk.AuthError as e:
    assert 'access_denied' in str(e), e

# A token that is not known is replaced once
stale = connect(token='no-such-token')
assert stale.system_service().vms_service().list(max=1)
stale.close()

# Actions
down = vms.list(search='status=down sortby name asc', max=1)[0]
d = vms.vm_service(down.id)
d.start()
assert d.get().status != t.VmStatus.DOWN
until('started', lambda: d.get().status == t.VmStatus.UP)
assert d.get().host.id
d.suspend()
until('suspended', lambda: d.get().status == t.VmStatus.SUSPENDED)
d.start()
until('resumed', lambda: d.get().status == t.VmStatus.UP)
before = d.get().host.id
d.migrate()
until('migrated', lambda: d.get().status == t.VmStatus.UP and d.get().host.id != before)
d.migrate(host=t.Host(id=before))
until('migrated back', lambda: d.get().status == t.VmStatus.UP and d.get().host.id == before)
d.reset()
until('reset', lambda: d.get().status == t.VmStatus.UP)
ticket = d.ticket(ticket=t.Ticket(expiry=60))
assert ticket.value
d.shutdown()
until('shut down', lambda: d.get().status == t.VmStatus.DOWN)

d.start()
until('up again', lambda: d.get().status == t.VmStatus.UP)
d.stop()
until('stopped', lambda: d.get().status == t.VmStatus.DOWN)
refused(409, d.stop)
jobs = s.jobs_service().list()
assert jobs and all(j.id and j.status and j.description and j.start_time for j in jobs)
assert s.jobs_service().job_service(jobs[-1].id).steps_service().list()
d.start(query={'correlation_id': 'accept-py-1'})
mine = s.jobs_service().list(search='correlation_id=accept-py-1')
assert len(mine) == 1 and c.follow_link(mine[0]).id == mine[0].id
d.stop()
until('stopped again', lambda: d.get().status == t.VmStatus.DOWN)

# Hosts that are set aside and come back
other = [x for x in hosts.list(search='status=up') if x.id != h.id]
if other:
    o = hosts.host_service(other[0].id)
    o.deactivate(reason='accept.py')
    until('in maintenance', lambda: o.get().status == t.HostStatus.MAINTENANCE)
    o.activate()
    until('up again', lambda: o.get().status == t.HostStatus.UP)
    refused(409, o.activate)

# VMs that are added, changed and removed
name = 'accept-%d' % os.getpid()
added = vms.add(t.Vm(name=name, cluster=t.Cluster(id=cluster.id), template=t.Template(name='Blank'), memory=512 * 2**20,
                     memory_policy=t.MemoryPolicy(guaranteed=256 * 2**20),
                     cpu=t.Cpu(topology=t.CpuTopology(cores=2, sockets=1, threads=1))))
assert added.id and added.name == name and added.memory == 512 * 2**20 and added.cpu.topology.cores == 2
a = vms.vm_service(added.id)
refused(409, lambda: vms.add(t.Vm(name=name, cluster=t.Cluster(id=cluster.id), template=t.Template(name='Blank'))))
e = refused(409, lambda: a.update(t.Vm(memory=256 * 2**20, memory_policy=t.MemoryPolicy(guaranteed=512 * 2**20))))
assert 'Physical Memory Guaranteed cannot exceed Memory Size' in e.fault.detail
assert a.update(t.Vm(name=name + '-b', memory=1024 * 2**20)).memory == 1024 * 2**20
assert a.get().name == name + '-b'
profile = s.vnic_profiles_service().list()[0]
nics = a.nics_service()
nic = nics.add(t.Nic(name='nic1', description='My network interface', interface=t.NicInterface.VIRTIO,
                     vnic_profile=t.VnicProfile(id=profile.id)))
n = nics.nic_service(nic.id)
read = n.get()
assert read.name == 'nic1' and read.interface == t.NicInterface.VIRTIO and read.vnic_profile.id == profile.id
assert read.mac.address and read.mac.address == nic.mac.address and c.follow_link(read.vnic_profile).name == profile.name
assert n.update(t.Nic(plugged=False)).plugged is False
refused(409, lambda: nics.add(t.Nic(name='nic1')))
n.remove()
assert nics.list() == []
refused(404, n.get, sdk.NotFoundError)
a.remove()
refused(404, a.get, sdk.NotFoundError)

# Events of others
told = s.events_service().add(t.Event(description='accepted', severity=t.LogSeverity.WARNING, origin='accept.py', custom_id=os.getpid()))
assert told.id and told.severity == t.LogSeverity.WARNING and told.description == 'accepted'
newest = s.events_service().list(max=20, search='severity=warning sortby time desc')
assert told.id in [e.id for e in newest]
assert [e.time for e in newest] == sorted((e.time for e in newest), reverse=True)

c.close()
print('PYTHON-SDK-OK')
