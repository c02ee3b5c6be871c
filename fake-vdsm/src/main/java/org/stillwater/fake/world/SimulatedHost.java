package org.stillwater.fake.world;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.HostTransport;
import org.stillwater.fake.net.KdumpSender;

/**
 * One host of a world, to direct. Thread-safe.
 *
 * <p>It is long because it has a method for each thing that a test may direct.
 */
public final class SimulatedHost {

    /** Usual duration of VDSM's recovery after a start. */
    public static final Duration USUAL_RECOVERY = Duration.ofSeconds(10);

    /** Usual duration of a host's reboot. */
    public static final Duration USUAL_REBOOT = Duration.ofSeconds(60);

    private final World world;
    private final FakeHost host;

    SimulatedHost(World world, FakeHost host) {
        this.world = world;
        this.host = host;
    }

    /** Its name. */
    public String name() {
        return host.name.value();
    }

    /** Its number in the world, from 0. */
    public int number() {
        return host.number;
    }

    /** The hardware UUID it reports. */
    public String uuid() {
        return host.uuid;
    }

    /** The address on which it listens; {@code null} before {@link World#start}. */
    public @Nullable InetSocketAddress address() {
        return world.addressOf(host);
    }

    /** {@code up}, {@code recovering}, {@code dumping} or {@code off}. */
    public String condition() {
        return host.shownCondition();
    }

    /** The number of VMs of which it has records. */
    public int vmCount() {
        synchronized (host) {
            return host.domainCount();
        }
    }

    /** Creates a VM and starts it here, as {@code VM.create} does. */
    public SimulatedVm create(MachineSpec spec) {
        return create(spec, null);
    }

    /**
     * Creates a VM and starts it here.
     *
     * @param failure how the start ends, if it does not succeed
     */
    public SimulatedVm create(MachineSpec spec, @Nullable Exit failure) {
        return world.changing(() -> {
            if (host.condition() != FakeHost.Condition.UP) {
                throw WorldException.conflict(name() + " is not up");
            }
            Machine machine = world.newMachine(spec);
            Domain _ = world.life().create(machine, host, Launch.endingIn(failure));
            return new SimulatedVm(world, machine);
        });
    }

    /**
     * Restarts VDSM: connections end, every verb answers 99 for a while, hashes change, samples
     * restart; the VMs continue.
     *
     * @param recovery for how long it answers 99
     */
    public void restartVdsm(Duration recovery) {
        world.doing(() -> {
            requireUp();
            world.life().vdsmEnded(host);
            endCalls();
            recoverAfter(recovery);
        });
    }

    /**
     * Installs another version of VDSM and restarts it.
     *
     * @param version the new version
     * @param recovery as of {@link #restartVdsm}
     */
    public void upgrade(String version, Duration recovery) {
        if (version.isBlank() || version.length() > 64) {
            throw new IllegalArgumentException("'version' has 1 to 64 characters");
        }
        world.doing(() -> {
            requireUp();
            host.upgraded(version);
            world.life().vdsmEnded(host);
            endCalls();
            recoverAfter(recovery);
        });
    }

    /**
     * Makes storage slower for this host, for a storage domain on every host, or for several hosts.
     *
     * @param domain a storage domain; {@code null} for hosts
     * @param others names of further hosts, which make a cluster with this one
     * @param shape {@code step}, {@code drift}, {@code dip}, {@code recovery}, {@code noise} or
     *     {@code diurnal}
     * @param percent of the usual latency; of {@code noise} the spread
     * @param lasts how long; zero for no end
     */
    public void slowDown(
            @Nullable UUID domain, List<String> others, String shape, int percent, Duration lasts) {
        if (domain != null && !HostReport.STORAGE_DOMAINS.contains(domain.toString())) {
            throw new IllegalArgumentException(
                    "'domain' %s is none of this world; one of %s"
                            .formatted(domain, HostReport.STORAGE_DOMAINS));
        }
        if (domain != null && !others.isEmpty()) {
            throw new IllegalArgumentException(
                    "'others' are hosts, and 'domain' is slow on every host; give one of them");
        }
        List<String> names = world.hosts().stream().map(SimulatedHost::name).toList();
        List<String> hosts = new ArrayList<>(others);
        hosts.add(name());
        for (String each : others) {
            if (!names.contains(each)) {
                throw new IllegalArgumentException("'others': there is no host '" + each + "'");
            }
        }
        world.slowdowns()
                .add(
                        new Slowdown(
                                domain != null
                                        ? "storage-domain"
                                        : others.isEmpty() ? "host" : "cluster",
                                domain != null ? List.of(domain.toString()) : hosts,
                                null,
                                Slowdown.LatencyCurve.ofCode(shape),
                                percent,
                                world.clock().millis(),
                                lasts.toMillis()));
    }

    /**
     * Checks the parameters of a slowdown.
     *
     * @throws IllegalArgumentException with the reason
     */
    public static void checkSlowdown(String shape, int percent, Duration lasts) {
        Slowdown _ =
                new Slowdown(
                        "host",
                        List.of(),
                        null,
                        Slowdown.LatencyCurve.ofCode(shape),
                        percent,
                        0,
                        lasts.toMillis());
    }

    /** Ends every slowdown of the world. */
    public void endSlowdowns() {
        world.slowdowns().clear();
    }

    /**
     * Reboots the host: its VMs are lost, its port is closed for a while, its clock restarts.
     *
     * @param off for how long it is off
     * @param recovery for how long it answers 99 then
     * @param orderly whether it reports each VM as down before it goes
     */
    public void reboot(Duration off, Duration recovery, boolean orderly) {
        world.doing(() -> {
            turnOff(orderly);
            world.agenda().at(world.life().now() + off.toMillis(), () -> boot(recovery));
        });
    }

    /** Switches the host off until {@link #powerOn}. */
    public void powerOff(boolean orderly) {
        world.doing(() -> turnOff(orderly));
    }

    /**
     * Takes the host's power away until {@link #powerOn}: its VMs are gone, without an event.
     * Connections stay open and silent, as those to a machine without power do.
     */
    public void losePower() {
        world.doing(this::goSilent);
    }

    /** Whether its capabilities report kdump as enabled. */
    public void enableKdump(boolean enabled) {
        world.doing(() -> {
            synchronized (host) {
                host.enableKdump(enabled);
            }
        });
    }

    /**
     * Whether VMs that are started here stay in {@code WaitForLaunch}, as behind a storage that
     * does not answer, until this is set to false.
     */
    public void holdLaunches(boolean held) {
        world.doing(() -> {
            synchronized (host) {
                host.holdLaunches(held);
            }
        });
    }

    /**
     * Its kernel crashes: its VMs are gone, it is silent but for the messages of fence_kdump that
     * it sends at once and then again and again, from the address at which it listens, and when its
     * dump is written it boots. Switching its power off meanwhile truncates the dump.
     */
    public void crashKernel(KernelDump dump) {
        world.doing(() -> {
            goSilent();
            int number = host.dump(dump);
            tell(number, dump);
            world.after(
                    dump.takes(),
                    () -> {
                        if (host.isDump(number)) {
                            int _ = host.dump(null);
                            world.after(USUAL_REBOOT, () -> boot(USUAL_RECOVERY));
                        }
                    });
        });
    }

    private void tell(int number, KernelDump dump) {
        InetSocketAddress to = dump.to();
        if (to == null || !host.isDump(number)) {
            return;
        }
        InetSocketAddress listening = address();
        KdumpSender.send(listening == null ? null : listening.getAddress(), to);
        world.after(dump.every(), () -> tell(number, dump));
    }

    private void goSilent() {
        requireOn();
        world.life().hostDown(host, false);
        HostTransport network = world.transport();
        if (network != null) {
            network.freeze(host.name);
        }
        synchronized (host) {
            host.setSilent(true);
        }
    }

    /** Whether it has power. */
    public boolean isPowered() {
        return host.condition() != FakeHost.Condition.OFF || host.dump() != null;
    }

    /**
     * Switches its power on or off as a fence agent does: a state that is already reached is no
     * error.
     */
    public void power(boolean on) {
        world.doing(() -> {
            if (on == isPowered()) {
                return;
            }
            if (on) {
                boot(USUAL_RECOVERY);
            } else if (host.dump() != null) {
                int _ = host.dump(null);
            } else {
                turnOff(false);
            }
        });
    }

    /**
     * Lets the next VMs that an engine starts here fail.
     *
     * @param exit how they end
     * @param count number, 0 to end it
     */
    public void failStarts(Exit exit, int count) {
        if (count < 0) {
            throw new IllegalArgumentException("'count' must be 0 or more");
        }
        world.doing(() -> {
            synchronized (host) {
                host.failStarts(exit, count);
            }
        });
    }

    /** Switches a host on that is off; one that writes a kernel dump boots at once. */
    public void powerOn(Duration recovery) {
        world.doing(() -> {
            if (host.condition() != FakeHost.Condition.OFF) {
                throw WorldException.conflict(name() + " is not off");
            }
            boot(recovery);
        });
    }

    /**
     * The network to the host is gone: nothing arrives, nothing ends. Losses may overlap; the
     * network is back when the last one has ended.
     *
     * @param lasts for how long; {@code null} until {@link #restoreNetwork}
     */
    public void loseNetwork(@Nullable Duration lasts) {
        world.doing(() -> {
            Object loss = new Object();
            synchronized (host) {
                host.networkLosses.add(loss);
            }
            HostTransport network = world.transport();
            if (network != null) {
                network.freeze(host.name);
            }
            if (lasts != null) {
                world.after(lasts, () -> endLoss(loss));
            }
        });
    }

    private void endLoss(Object loss) {
        boolean ended;
        synchronized (host) {
            ended = host.networkLosses.remove(loss);
        }
        if (ended) {
            thaw();
        }
    }

    /** Ends every {@link #loseNetwork}. */
    public void restoreNetwork() {
        world.doing(() -> {
            synchronized (host) {
                host.networkLosses.clear();
            }
            thaw();
        });
    }

    /** Its data flows again, unless its network is lost or it has no power. */
    private void thaw() {
        boolean flows;
        synchronized (host) {
            flows = host.networkLosses.isEmpty() && !host.isSilent();
        }
        HostTransport network = world.transport();
        if (flows && network != null) {
            network.unfreeze(host.name);
        }
    }

    /** Announces a change of the host's network, as after a bond fail-over. */
    public void announceNetworkChange() {
        world.doing(() -> {
            requireUp();
            synchronized (host) {
                world.events().hostConnection(host);
            }
        });
    }

    /** Sets the host's wall clock off by this time; its stamps are not affected. */
    public void skewWallClock(Duration skew) {
        world.doing(() -> {
            synchronized (host) {
                host.skewWallClock(skew.toMillis());
            }
        });
    }

    /**
     * Takes the link of a network card away, or gives it back; its counters continue.
     *
     * @throws IllegalArgumentException if the host has no such card
     */
    public void setLink(String nic, boolean up) {
        if (!HostReport.CARDS.contains(nic)) {
            throw new IllegalArgumentException(
                    "'nic' must be one of %s, not %s".formatted(HostReport.CARDS, nic));
        }
        world.doing(() -> {
            synchronized (host) {
                host.setLink(nic, up);
            }
        });
    }

    /**
     * Fills the host's swap space, or empties it.
     *
     * @param usedPercent 0–100
     */
    public void fillSwap(int usedPercent) {
        if (usedPercent < 0 || usedPercent > 100) {
            throw new IllegalArgumentException("'usedPercent' must be 0 to 100");
        }
        world.doing(() -> {
            synchronized (host) {
                host.setSwapUsed(usedPercent);
            }
        });
    }

    /**
     * Sets the free space on one of the host's local file systems.
     *
     * @throws IllegalArgumentException if the host reports no such path
     */
    public void leaveOnDisk(String path, int freeMib) {
        if (!HostReport.DISKS_FREE_MIB.containsKey(path) || freeMib < 0) {
            throw new IllegalArgumentException(
                    "'path' must be one of %s, and 'freeMib' 0 or more"
                            .formatted(HostReport.DISKS_FREE_MIB.keySet()));
        }
        world.doing(() -> {
            synchronized (host) {
                host.setDiskFree(path, freeMib);
            }
        });
    }

    /**
     * From now on the host reports a VM that it does not run: by an event at once, and in every
     * poll. An engine's {@code VM.destroy} finds nothing.
     *
     * @param vmId id of any VM, of this world or not
     * @param status status text as in polls, null to end it
     */
    public void claim(UUID vmId, @Nullable String status) {
        world.doing(() -> {
            requireUp();
            synchronized (host) {
                host.claim(vmId.toString(), status);
                if (status != null) {
                    world.events().claimed(host, vmId.toString(), status);
                }
            }
        });
    }

    /** Makes it the storage pool manager, in place of the previous one. */
    public void becomeSpm() {
        world.doing(() -> {
            for (SimulatedHost other : world.hosts()) {
                synchronized (other.host) {
                    other.host.setSpm(other.host == host);
                }
            }
        });
    }

    FakeHost host() {
        return host;
    }

    private void turnOff(boolean orderly) {
        requireOn();
        world.life().hostDown(host, orderly);
        HostTransport network = world.transport();
        if (network != null) {
            network.refuse(host.name);
        }
        endCalls();
    }

    private void requireOn() {
        if (host.condition() == FakeHost.Condition.OFF) {
            throw WorldException.conflict(name() + " is off already");
        }
    }

    private void boot(Duration recovery) {
        if (host.condition() != FakeHost.Condition.OFF) {
            return;
        }
        int _ = host.dump(null);
        world.life().hostBooted(host);
        HostTransport network = world.transport();
        boolean wasSilent;
        synchronized (host) {
            wasSilent = host.isSilent();
            host.setSilent(false);
        }
        if (network != null) {
            if (wasSilent) {
                int _ = network.dropConnections(host.name, HostTransport.Drop.RST);
                network.restarted(host.name);
                thaw();
            } else {
                network.reopen(host.name);
            }
        }
        recoverAfter(recovery);
    }

    private void recoverAfter(Duration recovery) {
        int start = host.vdsmStarts();
        world.agenda()
                .at(
                        world.life().now() + recovery.toMillis(),
                        () -> {
                            if (host.condition() == FakeHost.Condition.RECOVERING
                                    && host.vdsmStarts() == start) {
                                world.life().recovered(host);
                            }
                        });
    }

    private void requireUp() {
        if (host.condition() != FakeHost.Condition.UP) {
            throw WorldException.conflict(name() + " is not up");
        }
    }

    /** Its VDSM has ended, and with it all connections and calls. */
    private void endCalls() {
        HostTransport network = world.transport();
        if (network != null) {
            network.restarted(host.name);
        }
    }
}
