package org.stillwater.core.vm;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;

/**
 * Values of a VM that only the engine decides; no report changes them.
 *
 * @param runOn the host responsible for the VM, null when it runs nowhere ({@code run_on_vds})
 * @param migratingTo the destination of a migration in flight ({@code migrating_to_vds})
 * @param lastStart when the engine last saw the VM begin to run ({@code last_start_time})
 * @param lastStop when the engine last saw the VM stop ({@code last_stop_time})
 * @param run records of commands about the present run
 */
public record VmPlacement(
        @Nullable HostId runOn,
        @Nullable HostId migratingTo,
        @Nullable Instant lastStart,
        @Nullable Instant lastStop,
        VmRun run) {

    /** A VM that runs nowhere and never did. */
    public static final VmPlacement NOWHERE = new VmPlacement(null, null, null, null, VmRun.NEVER);

    /** A VM that runs on this host. */
    public static VmPlacement on(HostId host) {
        return NOWHERE.withRunOn(host);
    }

    /** Whether this host is responsible for the VM. */
    public boolean isOn(HostId host) {
        return host.equals(runOn);
    }

    /** The same with another responsible host. */
    public VmPlacement withRunOn(@Nullable HostId host) {
        return new VmPlacement(host, migratingTo, lastStart, lastStop, run);
    }

    /** The same with another migration destination. */
    public VmPlacement withMigratingTo(@Nullable HostId host) {
        return new VmPlacement(runOn, host, lastStart, lastStop, run);
    }

    /** The same with another start time. */
    public VmPlacement withLastStart(@Nullable Instant time) {
        return new VmPlacement(runOn, migratingTo, time, lastStop, run);
    }

    /** The same with another stop time. */
    public VmPlacement withLastStop(@Nullable Instant time) {
        return new VmPlacement(runOn, migratingTo, lastStart, time, run);
    }

    /** The same with another run. */
    public VmPlacement withRun(VmRun next) {
        return new VmPlacement(runOn, migratingTo, lastStart, lastStop, next);
    }
}
