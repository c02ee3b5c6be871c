package org.stillwater.testkit.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.testkit.VirtualClock;

/** The true state of a host, and the messages under way between it and the engine. */
final class SimulatedHost {

    /** An event that was sent and did not arrive yet. */
    record Event(VmId vm, GuestProcess process, long stampMillis, long takenNanos, boolean whole) {}

    /** Content of a poll's answer. */
    record Poll(
            long askedNanos,
            long takenNanos,
            long stampMillis,
            Map<VmId, GuestProcess> processes,
            Map<VmId, HostId> homes) {}

    /** Zero of the virtual monotonic clock; any day would do. */
    private static final Instant BOOT_EPOCH = Instant.parse("2026-01-01T00:00:00Z");

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long MILLIS_PER_SECOND = 1_000;

    private final VirtualClock clock;
    private final int number;
    private final HostId id;
    private final Map<VmId, GuestProcess> processes = new TreeMap<>();
    private final List<Event> underWay = new ArrayList<>();
    private long bootedNanos;
    private long lastStampMillis;
    private int boot;
    private boolean powered = true;
    private boolean agentRecovering;
    private boolean bootTold = true;
    private boolean connected;
    private long connectedNanos;

    /** Whether the engine got the host's connection, and not its loss. */
    private boolean managed = true;

    /** Whether the host can run VMs, by its own report. */
    private boolean fit = true;

    /** Whether its connection stands and nothing comes through, in either direction. */
    private boolean halfOpen;

    private @Nullable Poll late;

    SimulatedHost(int number, VirtualClock clock) {
        this.clock = clock;
        this.number = number;
        this.id = new HostId(new UUID(0x1000, number));
        // The host has been up for a day.
        this.bootedNanos = clock.nanoTime() - 86_400_000_000_000L;
    }

    HostDefinition definition() {
        return new HostDefinition(id, toString(), "192.0.2." + number, 54321);
    }

    HostId id() {
        return id;
    }

    @Nullable GuestProcess process(VmId vm) {
        return processes.get(vm);
    }

    Map<VmId, GuestProcess> processes() {
        return processes;
    }

    /** Changes a VM's process on the host, and sends the change if the engine listens. */
    void put(VmId vm, GuestProcess process, boolean whole) {
        processes.put(vm, process);
        if (powered && connected && !agentRecovering) {
            underWay.add(new Event(vm, process, stamp(), clock.nanoTime(), whole));
        }
    }

    /** Forgets a VM, which hosts never announce. */
    void forget(VmId vm) {
        processes.remove(vm);
    }

    /** The host's monotonic clock; never the same twice, so that it orders the host's messages. */
    long stamp() {
        long now = (clock.nanoTime() - bootedNanos) / 1_000_000;
        lastStampMillis = Math.max(now, lastStampMillis + 1);
        return lastStampMillis;
    }

    Poll snapshot(long askedNanos, Map<VmId, HostId> homes) {
        return new Poll(askedNanos, clock.nanoTime(), stamp(), new TreeMap<>(processes), homes);
    }

    List<Event> underWay() {
        return underWay;
    }

    @Nullable Poll takeLate() {
        Poll taken = late;
        late = null;
        return taken;
    }

    void delay(Poll poll) {
        late = poll;
    }

    /** The id of its present boot. */
    String bootId() {
        return id + "/" + boot;
    }

    /** Capabilities of the host; one host in three does not report its boot by an id. */
    HostCapabilities capabilities() {
        return new HostValues()
                .put(HostField.BOOT_UUID, tellsBootId() ? bootId() : null)
                .put(HostField.SELINUX_MODE, 1)
                .put(HostField.KVM_ENABLED, fit)
                .capabilities();
    }

    /** The host's numbers; one host in three does not report when it booted. */
    HostStatistics statistics() {
        long bootTime =
                (BOOT_EPOCH.toEpochMilli() + bootedNanos / NANOS_PER_MILLI) / MILLIS_PER_SECOND;
        return new HostValues()
                .put(HostField.VM_COUNT, processes.size())
                .put(HostField.BOOT_TIME, tellsBootTime() ? bootTime : null)
                .statistics();
    }

    boolean tellsBootId() {
        return number % 3 != 0;
    }

    boolean tellsBootTime() {
        return number % 3 != 1;
    }

    boolean isManaged() {
        return managed;
    }

    void managed(boolean next) {
        managed = next;
    }

    boolean isFit() {
        return fit;
    }

    void fit(boolean next) {
        fit = next;
    }

    /** Whether the engine got a report of the present boot, which reset the host's clock. */
    boolean isBootTold() {
        return bootTold;
    }

    /** Since when the connection stands; the first questions about the host are as old. */
    long connectedNanos() {
        return connectedNanos;
    }

    void bootTold(boolean next) {
        bootTold = next;
    }

    boolean isPowered() {
        return powered;
    }

    boolean isRecovering() {
        return agentRecovering;
    }

    void recovering(boolean next) {
        agentRecovering = next;
    }

    boolean isConnected() {
        return connected;
    }

    /** Whether the host's messages can reach the engine. */
    boolean isHeard() {
        return powered && connected && !halfOpen;
    }

    boolean isHalfOpen() {
        return halfOpen;
    }

    void halfOpen(boolean next) {
        halfOpen = next;
    }

    void connected(boolean next) {
        connected = next;
        connectedNanos = clock.nanoTime();
        halfOpen = false;
        underWay.clear();
        late = null;
    }

    void powerFails() {
        powered = false;
        processes.clear();
        underWay.clear();
        late = null;
    }

    void boots() {
        powered = true;
        agentRecovering = false;
        boot++;
        bootTold = false;
        bootedNanos = clock.nanoTime();
        lastStampMillis = 0;
    }

    @Override
    public String toString() {
        return "host-" + number;
    }
}
