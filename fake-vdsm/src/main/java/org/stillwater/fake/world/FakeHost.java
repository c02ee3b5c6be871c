package org.stillwater.fake.world;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.HostName;

/**
 * The state of one simulated host. Its monitor guards it and its domains; writers hold the world's
 * lock as well, so that a reader needs the monitor only and never two of them. All times are
 * virtual milliseconds.
 */
final class FakeHost {

    private static final int FIRST_DISPLAY_PORT = 5900;

    /** A host never has less free memory than this. */
    private static final int MEMORY_FLOOR_MIB = 256;

    private static final int RESERVE_MIB = 8_192;
    private static final int MEMORY_STEP_MIB = 65_536;
    private static final long HOUR_MILLIS = 3_600_000;

    /**
     * Outgoing and incoming VMs at a time, unless an order sets another limit (VDSM's settings).
     */
    private static final long USUAL_BOUND = 2;

    /** Whether the host answers. */
    enum Condition {
        /** It does. */
        UP,
        /** VDSM has started and answers 99 to everything (§2.4). */
        RECOVERING,
        /** It is switched off or rebooting. */
        OFF
    }

    final HostName name;
    final int number;
    final long seed;
    final String uuid;

    /** Losses of its network that are in force. Guarded by this. */
    final Set<Object> networkLosses = new HashSet<>();

    private final Profile profile;
    private final SimulationClock clock;
    private final Map<String, Domain> domains = new LinkedHashMap<>();
    private Domain @Nullable [] snapshot;

    private volatile Condition condition = Condition.UP;
    private long bootedAt;
    private long vdsmStartedAt;
    private int boots;
    private int vdsmStarts;
    private long wallSkewMillis;
    private int nextTap;
    private int nextDisplayPort = FIRST_DISPLAY_PORT;
    private int installedMemoryMib = 131_072;
    private long committedMib;
    private boolean spm;
    private boolean taps = true;
    private boolean memoryFixed;
    private boolean silent;
    private boolean launchesHeld;
    private boolean kdumpEnabled;
    private volatile @Nullable KernelDump dump;
    private int dumps;
    private @Nullable Exit startFailure;
    private int startFailures;
    private long outgoingBound = USUAL_BOUND;
    private long incomingBound = USUAL_BOUND;
    private final Set<String> linksDown = new HashSet<>();

    /** Status texts of VMs that it reports but does not run, by their ids. */
    private final Map<String, String> claims = new LinkedHashMap<>();

    private final Map<String, Integer> diskFreeMib = new LinkedHashMap<>(HostReport.DISKS_FREE_MIB);
    private int swapUsedPercent = -1;
    private volatile Slowdowns slowdowns = new Slowdowns();
    private volatile @Nullable String newVersion;

    FakeHost(HostName name, int number, long worldSeed, Profile profile, SimulationClock clock) {
        this.name = name;
        this.number = number;
        this.seed = Seeds.of(Seeds.of(worldSeed, "host"), number);
        this.profile = profile;
        this.clock = clock;
        this.uuid = Seeds.uuid(Seeds.of(seed, "uuid")).toString();
        SplittableRandom dice = Seeds.stream(seed, "age");
        this.bootedAt = -HOUR_MILLIS * (200 + dice.nextInt(2000)) - dice.nextInt(3_600_000);
        this.vdsmStartedAt = bootedAt + 20_000 + dice.nextInt(15_000);
    }

    Profile profile() {
        return profile;
    }

    /** The slowdowns of its world. */
    Slowdowns slowdowns() {
        return slowdowns;
    }

    void slowedBy(Slowdowns ofWorld) {
        slowdowns = ofWorld;
    }

    /** The version of VDSM that it runs. */
    String softwareVersion() {
        String upgraded = newVersion;
        return upgraded == null ? profile.softwareVersion() : upgraded;
    }

    void upgraded(String version) {
        newVersion = version;
    }

    Condition condition() {
        return condition;
    }

    /** Its condition as the control port shows it. */
    String shownCondition() {
        return dump != null ? "dumping" : condition.name().toLowerCase(Locale.ROOT);
    }

    void become(Condition newCondition) {
        condition = newCondition;
    }

    HostMoment moment() {
        return momentAt(clock.millis());
    }

    HostMoment momentAt(long now) {
        long monotonic = now - bootedAt;
        return new HostMoment(
                now,
                monotonic,
                profile.stampBaseMillis() + monotonic,
                clock.beginning().toEpochMilli() + now + wallSkewMillis,
                vdsmStartedAt + samplesUntil(now) * Meter.PERIOD_MILLIS);
    }

    /** Bulk samples since VDSM started. */
    private long samplesUntil(long time) {
        return Math.max(0, Math.floorDiv(time - vdsmStartedAt, Meter.PERIOD_MILLIS));
    }

    /** Bulk samples after one time and not after another. */
    long samplesBetween(long from, long to) {
        return from == Long.MIN_VALUE
                ? samplesUntil(to)
                : samplesUntil(to) - samplesUntil(Math.max(from, vdsmStartedAt));
    }

    boolean isSampled(long now) {
        return samplesUntil(now) >= 2;
    }

    long vdsmUptimeMillis(long now) {
        return now - vdsmStartedAt;
    }

    long bootEpochSeconds() {
        return Math.floorDiv(clock.beginning().toEpochMilli() + bootedAt + wallSkewMillis, 1000);
    }

    UUID bootUuid() {
        return Seeds.uuid(Seeds.of(Seeds.of(seed, "boot"), boots));
    }

    /** Seeds the values that a VDSM process invents (§4.6). */
    long processSeed() {
        return Seeds.of(Seeds.of(seed, "process"), vdsmStarts);
    }

    void vdsmStarted(long now) {
        vdsmStartedAt = now;
        vdsmStarts++;
        for (Domain domain : domains.values()) {
            domain.changed();
        }
    }

    void booted(long now) {
        bootedAt = now;
        boots++;
        nextTap = 0;
        nextDisplayPort = FIRST_DISPLAY_PORT;
    }

    int vdsmStarts() {
        return vdsmStarts;
    }

    void skewWallClock(long millis) {
        wallSkewMillis = millis;
    }

    long wallSkewMillis() {
        return wallSkewMillis;
    }

    void setLink(String nic, boolean up) {
        if (up) {
            linksDown.remove(nic);
        } else {
            linksDown.add(nic);
        }
    }

    /** A bond has a link as long as one of its cards has. */
    boolean isLinkUp(String nic) {
        return nic.equals(HostReport.BOND)
                ? !linksDown.containsAll(HostReport.CARDS)
                : !linksDown.contains(nic);
    }

    void claim(String vmId, @Nullable String status) {
        if (status == null) {
            claims.remove(vmId);
        } else {
            claims.put(vmId, status);
        }
    }

    /** Status texts of VMs that it reports but does not run, by id. */
    Map<String, String> claims() {
        return claims;
    }

    void setDiskFree(String path, int mebibytes) {
        diskFreeMib.put(path, mebibytes);
    }

    /** Free space of local file systems by path. */
    Map<String, Integer> diskFreeMib() {
        return diskFreeMib;
    }

    void setSwapUsed(int percent) {
        swapUsedPercent = percent;
    }

    int swapFreeMib() {
        return swapUsedPercent < 0
                ? HostReport.SWAP_MIB - (int) (seed & 255)
                : HostReport.SWAP_MIB - HostReport.SWAP_MIB * swapUsedPercent / 100;
    }

    /** The address a console connects to; plausible, and the same wherever the host listens. */
    String displayAddress() {
        return "10.20.%d.%d".formatted(number / 250, 11 + number % 240);
    }

    int takeDisplayPort() {
        return takeDisplayPorts(1);
    }

    /** Free ports in a row; after 60 000 of them it starts over, as no host holds so many. */
    int takeDisplayPorts(int count) {
        if (nextDisplayPort + count > 65_535) {
            nextDisplayPort = FIRST_DISPLAY_PORT;
        }
        int first = nextDisplayPort;
        nextDisplayPort += count;
        return first;
    }

    int takeTaps(int count) {
        int first = nextTap;
        nextTap += count;
        return first;
    }

    void add(Domain domain) {
        domains.put(domain.machine.idText, domain);
        snapshot = null;
        committedMib += domain.machine.memoryMib + HostReport.GUEST_OVERHEAD_MIB;
        while (!memoryFixed && installedMemoryMib < committedMib + RESERVE_MIB) {
            installedMemoryMib += MEMORY_STEP_MIB;
        }
    }

    void remove(Domain domain) {
        if (!domains.remove(domain.machine.idText, domain)) {
            return;
        }
        committedMib -= domain.machine.memoryMib + HostReport.GUEST_OVERHEAD_MIB;
        snapshot = null;
    }

    void removeAll() {
        domains.clear();
        committedMib = 0;
        snapshot = null;
    }

    @Nullable Domain domain(String vmId) {
        return domains.get(vmId);
    }

    /** The domains in the order they came; not to be changed. */
    Domain[] domains() {
        Domain[] all = snapshot;
        if (all == null) {
            all = domains.values().toArray(new Domain[0]);
            snapshot = all;
        }
        return all;
    }

    int domainCount() {
        return domains.size();
    }

    /** Memory that no guest has. */
    long freeMib() {
        long running = 0;
        for (Domain domain : domains()) {
            if (domain.phase != Phase.DOWN) {
                running += domain.machine.memoryMib + HostReport.GUEST_OVERHEAD_MIB;
            }
        }
        return Math.max(MEMORY_FLOOR_MIB, installedMemoryMib - HostReport.SYSTEM_MIB - running);
    }

    /** Gives the host a fixed size of memory. */
    void fixMemory(int mebibytes) {
        installedMemoryMib = mebibytes;
        memoryFixed = true;
    }

    /** Whether a VM of this size still fits into a host with fixed memory. */
    boolean hasRoomFor(int mebibytes) {
        return !memoryFixed || freeMib() - MEMORY_FLOOR_MIB >= mebibytes;
    }

    /** Most VMs that it sends at a time. */
    long outgoingBound() {
        return outgoingBound;
    }

    void setOutgoingBound(long bound) {
        outgoingBound = bound;
    }

    /** Most VMs that it receives at a time. */
    long incomingBound() {
        return incomingBound;
    }

    void setIncomingBound(long bound) {
        incomingBound = bound;
    }

    /** A new VDSM process has its settings only. */
    void resetBounds() {
        outgoingBound = USUAL_BOUND;
        incomingBound = USUAL_BOUND;
    }

    /** The next starts of VMs, by this number, end like this. */
    void failStarts(Exit exit, int count) {
        startFailure = exit;
        startFailures = count;
    }

    /** The ordered failure of the start that was just requested; {@code null} for success. */
    @Nullable Exit takeStartFailure() {
        if (startFailures == 0) {
            return null;
        }
        startFailures--;
        return startFailure;
    }

    /** Whether it lost power without closing its connections. */
    boolean isSilent() {
        return silent;
    }

    void setSilent(boolean newSilent) {
        silent = newSilent;
    }

    boolean isKdumpEnabled() {
        return kdumpEnabled;
    }

    void enableKdump(boolean enabled) {
        kdumpEnabled = enabled;
    }

    /** Whether VMs that start here wait in the launch phase. */
    boolean holdsLaunches() {
        return launchesHeld;
    }

    void holdLaunches(boolean held) {
        launchesHeld = held;
    }

    /** The dump of its crashed kernel in progress; {@code null} for none. */
    @Nullable KernelDump dump() {
        return dump;
    }

    /** Begins a dump, or ends one; answers with the number of a new one. */
    int dump(@Nullable KernelDump newDump) {
        dump = newDump;
        return ++dumps;
    }

    /** Whether the dump of this number is still in progress. */
    boolean isDump(int number) {
        return dump != null && dumps == number;
    }

    int installedMemoryMib() {
        return installedMemoryMib;
    }

    boolean isSpm() {
        return spm;
    }

    void setSpm(boolean newSpm) {
        spm = newSpm;
    }

    boolean reportsTaps() {
        return taps;
    }

    void reportTaps(boolean report) {
        taps = report;
    }
}
