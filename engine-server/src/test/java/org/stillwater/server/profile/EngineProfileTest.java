package org.stillwater.server.profile;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.util.unit.DataSize;
import org.stillwater.monitoring.lock.KeyedLocks;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.settings.ProfileSettings;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.vdsm.wire.DearDecoder;

/** Faults that are injected into this process and found by name in its own profile. */
@Timeout(120)
class EngineProfileTest {

    private final EngineProfile profile = new EngineProfile(settings(true));

    private static ProfileSettings settings(boolean enabled) {
        return new ProfileSettings(
                enabled,
                Duration.ofMillis(10),
                Duration.ofMillis(200),
                100,
                Duration.ofMillis(10),
                Duration.ofSeconds(10),
                Duration.ofHours(1),
                20_000,
                200,
                Duration.ofMinutes(10),
                DataSize.ofMegabytes(64),
                Duration.ofHours(1));
    }

    @BeforeEach
    void start() {
        profile.start();
    }

    @AfterEach
    void stop() {
        profile.stop();
    }

    /** Runs work again and again until its effect is in the profile. */
    private static void until(BooleanSupplier seen, Runnable work) {
        while (!seen.getAsBoolean()) {
            work.run();
        }
    }

    @Test
    void anExpensiveDecoderIsTheFirstStageAndItsThreadIsKnown() throws Exception {
        DearDecoder decoder = new DearDecoder();
        Thread thread =
                Thread.ofVirtual()
                        .name("host-a")
                        .start(() ->
                                until(
                                        () -> {
                                            ProfileReport.Cpu cpu = profile.cpu(60, false);
                                            return cpu != null
                                                    && cpu.cpuMillis() > 0
                                                    && cpu.items().getFirst().samples() > 50
                                                    && cpu.items()
                                                            .getFirst()
                                                            .stage()
                                                            .equals("decode");
                                        },
                                        decoder::decode));
        thread.join();
        ProfileReport.Cpu cpu = profile.cpu(60, true);
        assertThat(cpu.items().getFirst().stage()).isEqualTo("decode");
        assertThat(cpu.threads().getFirst().kind()).isEqualTo("host");
        assertThat(cpu.tree().children().getFirst().name()).isEqualTo("decode");
        assertThat(cpu.cpuMillis()).isPositive();
    }

    @Test
    void aSupervisedLoopIsAWorker() {
        DearDecoder decoder = new DearDecoder();
        AtomicBoolean ended = new AtomicBoolean();
        SupervisedWorker worker =
                new Workers(WorkerSettings.DEFAULT, new VirtualClock(), new SimpleMeterRegistry())
                        .worker(
                                "loop",
                                new SupervisedWorker.Work() {
                                    @Override
                                    public boolean await() {
                                        return !ended.get();
                                    }

                                    @Override
                                    public void perform() {
                                        decoder.decode();
                                    }
                                });
        worker.startOnPlatformThread();
        try {
            until(
                    () -> {
                        ProfileReport.Cpu cpu = profile.cpu(60, true);
                        return cpu != null
                                && cpu.threads().stream()
                                        .anyMatch(each ->
                                                each.kind().equals("worker")
                                                        && each.samples() > 10);
                    },
                    decoder::decode);
        } finally {
            ended.set(true);
            assertThat(worker.stop(Duration.ofSeconds(20))).isTrue();
        }
    }

    @Test
    void anAllocationStormIsTheFirstType() {
        AtomicBoolean found = new AtomicBoolean();
        long[][] kept = new long[64][];
        until(
                () -> {
                    ProfileReport.Memory memory = profile.memory(60);
                    found.set(
                            memory != null
                                    && !memory.types().isEmpty()
                                    && memory.types().getFirst().type().equals("long[]")
                                    && memory.types().getFirst().share() > 0.5);
                    return found.get();
                },
                () -> {
                    for (int i = 0; i < 10_000; i++) {
                        kept[i % kept.length] = new long[1_000];
                    }
                });
        assertThat(profile.memory(60).types().getFirst().type()).isEqualTo("long[]");
        assertThat(kept[0]).hasSize(1_000);
    }

    /** Its class is the name of the monitor. */
    private static final class HeldMonitor {}

    @Test
    void aMonitorThatIsHeldIsTheFirstWait() throws Exception {
        HeldMonitor monitor = new HeldMonitor();
        until(
                () -> {
                    ProfileReport.Cpu cpu = profile.cpu(60, false);
                    return cpu != null
                            && !cpu.waits().isEmpty()
                            && cpu.waits().getFirst().name().endsWith("HeldMonitor");
                },
                () -> contend(monitor));
        ProfileReport.WaitItem wait = profile.cpu(60, false).waits().getFirst();
        assertThat(wait.kind()).isEqualTo("monitor");
        assertThat(wait.place()).startsWith("org.stillwater.server.profile.EngineProfileTest");
        assertThat(wait.waits()).isPositive();
    }

    /**
     * A platform thread blocks on a monitor that this one holds until it is blocked for a while.
     */
    private static void contend(HeldMonitor monitor) {
        CountDownLatch begun = new CountDownLatch(1);
        Thread waiter =
                Thread.ofPlatform()
                        .unstarted(() -> {
                            begun.countDown();
                            synchronized (monitor) {
                                begun.countDown();
                            }
                        });
        synchronized (monitor) {
            waiter.start();
            while (waiter.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            DearDecoder work = new DearDecoder();
            for (int i = 0; i < 20; i++) {
                assertThat(work.decode()).isPositive();
            }
        }
        try {
            waiter.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The recorder of the JDK knows nothing of this wait. */
    @Test
    void aNamedLockThatAVirtualThreadWaitsForIsTheFirstWait() {
        KeyedLocks locks = new KeyedLocks("changes of a test");
        until(
                () -> {
                    ProfileReport.Cpu cpu = profile.cpu(60, false);
                    return cpu != null
                            && !cpu.waits().isEmpty()
                            && cpu.waits().getFirst().name().equals("changes of a test");
                },
                () -> contend(locks));
        ProfileReport.WaitItem wait = profile.cpu(60, false).waits().getFirst();
        assertThat(wait.kind()).isEqualTo("lock");
        assertThat(wait.place()).startsWith("org.stillwater.server.profile.EngineProfileTest");
    }

    private static void contend(KeyedLocks locks) {
        Thread waiter = Thread.ofVirtual().unstarted(() -> taken(locks));
        try (KeyedLocks.Held _ = locks.alone("subject", Duration.ZERO)) {
            waiter.start();
            while (waiter.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            DearDecoder work = new DearDecoder();
            for (int i = 0; i < 20; i++) {
                assertThat(work.decode()).isPositive();
            }
        } catch (KeyedLocks.Busy e) {
            throw new AssertionError(e);
        }
        try {
            waiter.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void taken(KeyedLocks locks) {
        try (KeyedLocks.Held held = locks.alone("subject", Duration.ofMinutes(1))) {
            assertThat(held).isNotNull();
        } catch (KeyedLocks.Busy e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void twoEnginesInOneProcessHaveAProfileEach() {
        EngineProfile other = new EngineProfile(settings(true));
        other.start();
        assertThat(other.isRunning()).isTrue();
        other.stop();
        assertThat(profile.isRunning()).isTrue();
    }

    @Test
    void aProfileThatIsSwitchedOffRecordsNothing() {
        EngineProfile off = new EngineProfile(settings(false));
        off.start();
        assertThat(off.isRunning()).isFalse();
        assertThat(off.cpu(60, false)).isNull();
    }

    @Test
    void noEventThatMayHoldSecretsIsEnabled() {
        assertThat(EventFold.settings(profile.sampling()).keySet())
                .noneMatch(key -> key.startsWith("jdk.Initial"))
                .noneMatch(key -> key.startsWith("jdk.JVMInformation"))
                .noneMatch(key -> key.startsWith("jdk.SystemProcess"))
                .noneMatch(key -> key.startsWith("jdk.JavaExceptionThrow"));
    }
}
