package org.stillwater.monitoring;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;

/** A VM with everything a guest with an agent reports, and no text shared with other VMs. */
final class FullVm {

    private FullVm() {}

    static void register(VmRegistry registry, VmId id) {
        String name = "server-" + id.leastSignificantBits();
        String firstMac = mac(id, 1);
        String secondMac = mac(id, 2);
        VmStatic definition =
                new VmStatic(
                        name,
                        VmOrigin.EXTERNAL,
                        false,
                        4096,
                        2048,
                        2,
                        2,
                        1,
                        List.of(
                                new VmNic(
                                        new UUID(1, id.leastSignificantBits()),
                                        new String("net0"),
                                        firstMac,
                                        null,
                                        10_000),
                                new VmNic(
                                        new UUID(2, id.leastSignificantBits()),
                                        new String("net1"),
                                        secondMac,
                                        null,
                                        10_000)));
        VmRuntime runtime =
                VmRuntime.INITIAL
                        .edit()
                        .set(RuntimeField.STATUS, VmStatus.UP)
                        .set(RuntimeField.UTC_DIFF, 3_600)
                        .set(RuntimeField.CLIENT_IP, new String(""))
                        .set(RuntimeField.VNC_IP, "192.0.2." + id.leastSignificantBits() % 200)
                        .set(RuntimeField.VNC_PORT, 5_900 + (int) (id.leastSignificantBits() % 999))
                        .set(
                                RuntimeField.APP_LIST,
                                "kernel-5.14.0-427.13.1.el9_4.x86_64,cloud-init-23.4-7.el9_4,"
                                        + "qemu-guest-agent-8.2.0-11.el9_4-"
                                        + name)
                        .set(RuntimeField.FQDN, name + ".example.org")
                        .set(RuntimeField.GUEST_HOST_NAME, name + ".example.org")
                        .set(RuntimeField.GUEST_OS, "5.14.0-427.13.1.el9_4.x86_64-" + name)
                        .set(RuntimeField.GUEST_OS_TYPE, new String("linux"))
                        .set(RuntimeField.GUEST_OS_ARCH, new String("x86_64"))
                        .set(
                                RuntimeField.GUEST_OS_KERNEL,
                                new String("5.14.0-427.13.1.el9_4.x86_64"))
                        .set(RuntimeField.GUEST_OS_DISTRIBUTION, new String("CentOS Stream"))
                        .set(RuntimeField.GUEST_OS_VERSION, new String("9"))
                        .set(RuntimeField.GUEST_TIMEZONE_NAME, new String("Europe/Vienna"))
                        .set(RuntimeField.GUEST_TIMEZONE_OFFSET, 60)
                        .set(
                                RuntimeField.GUEST_NICS,
                                new GuestNics(
                                        id.leastSignificantBits(),
                                        List.of(
                                                new GuestNic(
                                                        new String("eth0"),
                                                        new String(firstMac),
                                                        List.of(
                                                                "10.0.0."
                                                                        + id
                                                                                .leastSignificantBits()),
                                                        List.of(
                                                                "fe80::1:"
                                                                        + id
                                                                                .leastSignificantBits())),
                                                new GuestNic(
                                                        new String("eth1"),
                                                        new String(secondMac),
                                                        List.of(
                                                                "10.1.0."
                                                                        + id
                                                                                .leastSignificantBits()),
                                                        List.of(
                                                                "fe80::2:"
                                                                        + id
                                                                                .leastSignificantBits())))))
                        .set(
                                RuntimeField.GUEST_IPS,
                                "10.0.0." + id.leastSignificantBits() + " fe80::1")
                        .build();
        VmState state = new VmState(runtime, VmPlacement.on(Lab.ALPHA), 0, Instant.now(), 0);
        registry.register(id, definition, state, vm -> fill(vm, firstMac, secondMac));
    }

    private static void fill(VmManager vm, String firstMac, String secondMac) {
        VmSample sample = new VmSample();
        sample.nicsReported = true;
        sample.addNic().mac = VmSample.Nic.macOf(firstMac);
        sample.addNic().mac = VmSample.Nic.macOf(secondMac);
        sample.disksReported = true;
        for (String name : List.of("vda", "sda")) {
            VmSample.Disk disk = sample.addDisk();
            disk.name = name;
            disk.imageId = vm.id();
        }
        sample.disksUsageDigest = 1;
        sample.disksUsage =
                "[{\"path\": \"/\", \"total\": \"21474836480\", \"used\": \"5368709120\", \"fs\":"
                        + " \"xfs\"}, {\"path\": \"/boot\", \"total\": \"1063256064\", \"used\":"
                        + " \"260698112\", \"fs\": \"xfs\"}]"
                        + vm.id().leastSignificantBits();
        vm.statistics().update(sample, 1, vm.cpus());
        vm.devices().saved(vm.id().toString(), 1);
    }

    private static String mac(VmId id, int n) {
        return VmSample.Nic.macText(0x566f_0000_0000L + id.leastSignificantBits() * 4 + n);
    }
}
