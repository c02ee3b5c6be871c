package org.stillwater.fake.world;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes the truth about a world as JSON, for comparison with the state of an engine. Names and
 * units are this format's own; the reference of the control port lists them. A host at a time is
 * consistent.
 */
final class WorldState {

    private final World world;

    WorldState(World world) {
        this.world = world;
    }

    String text(List<FakeHost> hosts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            write(out, hosts);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    void write(OutputStream out, List<FakeHost> hosts) throws IOException {
        JsonOut head = new JsonOut(256);
        head.object()
                .name("time")
                .text(world.clock().instant().toString())
                .name("virtualMillis")
                .number(world.clock().millis())
                .name("seed")
                .number(world.settings().seed())
                .name("slowdowns")
                .array();
        for (Slowdown each : world.slowdowns().all()) {
            slowdown(head, each);
        }
        head.endArray().name("hosts").array();
        head.body().writeTo(out);
        byte[] separator = {};
        for (FakeHost host : hosts) {
            out.write(separator);
            host(host).body().writeTo(out);
            separator = JsonOut.ascii(", ");
        }
        out.write(JsonOut.ascii("]}"));
    }

    private static void slowdown(JsonOut out, Slowdown slowdown) {
        out.object().name("level").text(slowdown.level()).name("targets").array();
        for (String target : slowdown.targets()) {
            out.text(target);
        }
        out.endArray()
                .name("disk")
                .text(slowdown.disk())
                .name("shape")
                .text(slowdown.shape().code())
                .name("percent")
                .number(slowdown.percent())
                .name("beginMillis")
                .number(slowdown.beginMillis())
                .name("lastsMillis")
                .number(slowdown.lastsMillis())
                .endObject();
    }

    static String ofVm(World world, Machine machine) {
        Domain home = machine.home;
        JsonOut out = new JsonOut(4096);
        if (home == null) {
            out.object()
                    .name("id")
                    .text(machine.idText)
                    .name("name")
                    .text(machine.name)
                    .name("status")
                    .text(null)
                    .endObject();
        } else {
            synchronized (home.host) {
                vm(out, home, home.host.momentAt(world.clock().millis()));
            }
        }
        return new String(out.bytes(), StandardCharsets.US_ASCII);
    }

    private JsonOut host(FakeHost host) {
        JsonOut out = new JsonOut();
        synchronized (host) {
            HostMoment moment = host.moment();
            InetSocketAddress address = world.addressOf(host);
            out.object()
                    .name("name")
                    .text(host.name.value())
                    .name("address")
                    .text(address == null ? null : address.getHostString())
                    .name("port")
                    .number(address == null ? 0 : address.getPort())
                    .name("condition")
                    .text(host.shownCondition())
                    .name("profile")
                    .text(host.profile().code())
                    .name("softwareVersion")
                    .text(host.softwareVersion())
                    .name("uuid")
                    .text(host.uuid)
                    .name("bootUuid")
                    .text(host.bootUuid().toString())
                    .name("bootTimeEpochSeconds")
                    .number(host.bootEpochSeconds())
                    .name("stamp")
                    .number(moment.stamp())
                    .name("memoryMib")
                    .number(host.installedMemoryMib())
                    .name("memoryFreeMib")
                    .number(HostReport.freeMib(host, moment))
                    .name("spm")
                    .bool(host.isSpm())
                    .name("vms")
                    .array();
            for (Domain domain : host.domains()) {
                vm(out, domain, moment);
            }
            out.endArray().endObject();
        }
        return out;
    }

    private static void vm(JsonOut out, Domain domain, HostMoment moment) {
        Machine machine = domain.machine;
        out.object()
                .name("id")
                .text(machine.idText)
                .name("name")
                .text(machine.name)
                .name("status")
                .text(domain.status(moment.now()))
                .name("host")
                .text(domain.host.name.value())
                .name("home")
                .bool(machine.home == domain);
        exit(out, domain);
        if (!domain.isDown()) {
            out.name("pauseCode")
                    .text(domain.isPostCopySource() ? "POSTCOPY" : domain.pauseCode)
                    .name("hash")
                    .text(domain.isInitial() ? null : Long.toString(domain.hash()))
                    .name("tpmHash")
                    .text(
                            machine.hasTpm()
                                            && !domain.isInitial()
                                            && domain.host.profile().atLeast(Profile.V4_40)
                                    ? machine.tpmHash()
                                    : null)
                    .name("responsive")
                    .bool(domain.responsive)
                    .name("acpi")
                    .bool(true)
                    .name("clientIp")
                    .text(domain.clientAddress)
                    .name("timeOffsetSeconds")
                    .number(machine.timeOffsetSeconds)
                    .name("elapsedSeconds")
                    .number(domain.elapsedSeconds(moment.now()))
                    .name("memoryMib")
                    .number(machine.memoryMib)
                    .name("vcpus")
                    .number(machine.vcpus);
            displays(out, domain);
            guest(out, domain, moment.now());
            statistics(out, domain, moment);
            watchdog(out, domain);
            migration(out, domain, moment.now());
            jobs(out, domain, moment.now());
        }
        out.endObject();
    }

    private static void exit(JsonOut out, Domain domain) {
        out.name("exit");
        Exit exit = domain.exit;
        if (exit == null) {
            out.text(null);
        } else {
            out.object()
                    .name("code")
                    .number(exit.exitCode())
                    .name("reason")
                    .number(exit.reason())
                    .name("message")
                    .text(domain.exitMessage)
                    .endObject();
        }
    }

    private static void displays(JsonOut out, Domain domain) {
        out.name("graphics").array();
        if (!domain.isInitial()) {
            String address = domain.host.displayAddress();
            for (String kind : domain.machine.graphics) {
                if (kind.equals("vnc")) {
                    display(out, domain, kind, domain.vncPort, 0, address);
                } else {
                    display(out, domain, kind, domain.spicePort, domain.spicePort + 1, address);
                }
            }
        }
        out.endArray();
    }

    private static void display(
            JsonOut out, Domain domain, String type, int port, int tlsPort, String address) {
        out.object()
                .name("type")
                .text(type)
                .name("address")
                .text(address)
                .name("port")
                .number(port)
                .name("tlsPort");
        if (tlsPort > 0) {
            out.number(tlsPort);
        } else {
            out.text(null);
        }
        out.name("ticket").bool(type.equals(domain.ticket)).endObject();
    }

    private static void guest(JsonOut out, Domain domain, long now) {
        Machine machine = domain.machine;
        GuestOs os = machine.os;
        boolean active = domain.agent == Domain.Agent.ACTIVE;
        boolean known = domain.isGuestKnown(now);
        out.name("guest")
                .object()
                .name("agent")
                .text(domain.agent.name().toLowerCase(Locale.ROOT))
                .name("userName")
                .text(active && !machine.userName.isEmpty() ? machine.userName : "Unknown")
                .name("session")
                .text(active ? machine.session : "Unknown")
                .name("cpuCount")
                .number(known ? machine.vcpus : -1)
                .name("fqdn")
                .text(domain.agentKnown ? machine.hostName() : "")
                .name("applications")
                .value(domain.agentKnown ? os.applications() : List.of())
                .name("detailed")
                .bool(known);
        if (known) {
            out.name("hostName")
                    .text(machine.hostName())
                    .name("os")
                    .text(os.description())
                    .name("osType")
                    .text(os.type())
                    .name("osArch")
                    .text("x86_64")
                    .name("osKernel")
                    .text(os.kernel())
                    .name("osDistribution")
                    .text(os.distribution())
                    .name("osVersion")
                    .text(os.version())
                    .name("osCodename")
                    .text(os.codename())
                    .name("timezoneName")
                    .text(VmSegments.timezoneName(os))
                    .name("timezoneOffsetMinutes")
                    .number(VmSegments.timezoneOffset(os))
                    .name("interfaces")
                    .array();
            if (!os.isWindows()) {
                networkInterface(out, "lo", "00:00:00:00:00:00", "127.0.0.1", "::1");
            }
            for (int i = 0; i < machine.nics.size(); i++) {
                Nic nic = machine.nics.get(i);
                networkInterface(
                        out, os.interfaceName(i), nic.macText(), nic.address(), nic.linkLocal());
            }
            out.endArray().name("fileSystems").array();
            VmSegments.fileSystems(out, machine);
            out.endArray();
        }
        out.endObject();
    }

    private static void networkInterface(
            JsonOut out, String name, String mac, String address, String address6) {
        out.object()
                .name("name")
                .text(name)
                .name("mac")
                .text(mac)
                .name("ipv4")
                .value(address.isEmpty() ? List.of() : List.of(address))
                .name("ipv6")
                .value(List.of(address6))
                .endObject();
    }

    private static void statistics(JsonOut out, Domain domain, HostMoment moment) {
        Sample sample = Sample.of(domain, moment);
        long cpu = sample == null ? 0 : sample.cpuHundredths();
        long user = cpu * 4 / 5;
        out.name("sampled")
                .bool(sample != null)
                .name("cpuUserPercent")
                .hundredthsText(user)
                .name("cpuSystemPercent")
                .hundredthsText(cpu - user)
                .name("memoryUsedPercent")
                .number(VmReport.memoryUsedPercent(domain, moment));
        out.name("nics").array();
        for (int i = 0; i < domain.machine.nics.size(); i++) {
            Nic nic = domain.machine.nics.get(i);
            out.object()
                    .name("mac")
                    .text(nic.macText())
                    .name("device")
                    .text("vnet" + domain.tap(i))
                    .name("network")
                    .text(nic.network());
            if (sample != null && domain.isSampledSince(nic.pluggedAt(), moment.now())) {
                Sample.Traffic traffic = sample.traffic(nic);
                out.name("rxBytes")
                        .number(traffic.received())
                        .name("txBytes")
                        .number(traffic.sent())
                        .name("rxDropped")
                        .number(nic.dropped());
            }
            out.endObject();
        }
        out.endArray().name("disks").array();
        for (Disk disk : domain.machine.disks) {
            disk(out, domain, disk, sample, moment.now());
        }
        out.endArray();
    }

    private static void disk(
            JsonOut out, Domain domain, Disk disk, @Nullable Sample sample, long now) {
        out.object()
                .name("device")
                .text(disk.device())
                .name("cd")
                .bool(disk.isCd())
                .name("deviceId")
                .text(disk.deviceId().toString())
                .name("imageId")
                .text(disk.image() == null ? null : disk.image().toString())
                .name("storageDomainId")
                .text(disk.image() == null ? null : disk.storage().toString())
                .name("lunId")
                .text(disk.lun())
                .name("actualBytes")
                .number(disk.allocatedBytes())
                .name("capacityBytes")
                .number(disk.capacityBytes());
        if (sample != null && !disk.isCd() && domain.isSampledSince(disk.pluggedAt(), now)) {
            Sample.BlockIo io = sample.blockIo(disk);
            out.name("readBytes")
                    .number(io.read())
                    .name("writtenBytes")
                    .number(io.written())
                    .name("readBytesPerSecond")
                    .number(io.readDelta() / 15)
                    .name("writeBytesPerSecond")
                    .number(io.writeDelta() / 15);
        }
        out.endObject();
    }

    private static void watchdog(JsonOut out, Domain domain) {
        Domain.Watchdog watchdog = domain.watchdog;
        out.name("watchdog");
        if (watchdog == null) {
            out.text(null);
        } else {
            out.object()
                    .name("timeEpochSeconds")
                    .number(watchdog.wallMillis() / 1000)
                    .name("action")
                    .text(watchdog.action())
                    .endObject();
        }
    }

    private static void migration(JsonOut out, Domain domain, long now) {
        Migration migration = domain.migration;
        out.name("migration");
        if (migration == null) {
            out.text(null);
        } else {
            out.object()
                    .name("from")
                    .text(migration.source.host.name.value())
                    .name("to")
                    .text(migration.destination.host.name.value())
                    .name("progressPercent")
                    .number(migration.progress(now))
                    .name("postCopy")
                    .bool(migration.isPostCopy())
                    .endObject();
        }
    }

    private static void jobs(JsonOut out, Domain domain, long now) {
        out.name("jobs").array();
        for (BlockJob job : domain.jobs) {
            if (job.isRunning(now)) {
                out.object()
                        .name("id")
                        .text(job.id().toString())
                        .name("imageId")
                        .text(String.valueOf(job.disk().image()))
                        .name("copiedBytes")
                        .number(job.copied(now))
                        .name("totalBytes")
                        .number(job.bytes())
                        .endObject();
            }
        }
        out.endArray();
    }
}
