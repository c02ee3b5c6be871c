package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmNumaPlan;
import org.stillwater.core.definition.VmRandomness;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.ovirt.model.Cpu;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Vm;

/** Elements of a VM that its specification has; without one they are left out. */
final class VmDevices {

    private VmDevices() {}

    static @Nullable String cpuMode(@Nullable VmSpecification specification) {
        if (specification == null) {
            return null;
        }
        return switch (specification.cpu()) {
            case VmCpu.OfHost _ -> "host_passthrough";
            case VmCpu.OfCluster _, VmCpu.Named _ -> "custom";
        };
    }

    static @Nullable String cpuModel(@Nullable VmSpecification specification) {
        return specification != null && specification.cpu() instanceof VmCpu.Named named
                ? named.model()
                : null;
    }

    static Cpu.@Nullable CpuTune cpuTune(@Nullable VmSpecification specification) {
        if (specification == null || specification.cpuPinning().isEmpty()) {
            return null;
        }
        List<Cpu.VcpuPin> pins = new ArrayList<>();
        specification.cpuPinning().forEach((cpu, set) -> pins.add(new Cpu.VcpuPin(set, cpu)));
        return new Cpu.CpuTune(Listing.of("vcpu_pin", pins));
    }

    static @Nullable String pinningPolicy(@Nullable VmSpecification specification) {
        if (specification == null) {
            return null;
        }
        return specification.cpuPinning().isEmpty() ? "none" : "manual";
    }

    /** The mode that all NUMA nodes have; null if there are none, or several modes. */
    static @Nullable String numaMode(@Nullable VmSpecification specification) {
        if (specification == null) {
            return null;
        }
        List<VmNumaPlan.Mode> modes =
                specification.numaNodes().stream().map(VmNumaPlan::mode).distinct().toList();
        return modes.size() == 1 ? modes.getFirst().name().toLowerCase(Locale.ROOT) : null;
    }

    static @Nullable String resume(@Nullable VmSpecification specification) {
        return specification == null ? null : Word.of(specification.resume());
    }

    static Vm.@Nullable RngDevice randomness(@Nullable VmSpecification specification) {
        VmRandomness randomness = specification == null ? null : specification.randomness();
        if (randomness == null) {
            return null;
        }
        Integer bytes = randomness.bytesPerPeriod();
        return new Vm.RngDevice(
                bytes == null ? null : new Vm.Rate(bytes, randomness.periodMillis()),
                switch (randomness.source()) {
                    case URANDOM -> "urandom";
                    case HARDWARE -> "hwrng";
                });
    }

    /** The keyboard layout of the VNC console. */
    static @Nullable String keyboard(@Nullable VmSpecification specification) {
        if (specification == null) {
            return null;
        }
        for (VmConsole console : specification.consoles()) {
            if (console.keyboard() != null) {
                return console.keyboard();
            }
        }
        return null;
    }

    /** Device that draws the screen, if there is one. */
    static @Nullable String video(@Nullable VmSpecification specification) {
        return specification == null || specification.consoles().isEmpty()
                ? null
                : Word.of(specification.video());
    }
}
