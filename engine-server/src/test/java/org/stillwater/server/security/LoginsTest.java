package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.stillwater.core.access.User;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.security.Accounts.Change;
import org.stillwater.server.security.Logins.Outcome;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.LoginSettings;
import org.stillwater.server.settings.SecuritySettings;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryUserStore;

class LoginsTest {

    private static final String ADA = "ada@internal";
    private static final String PASSWORD = "long enough";
    private static final String HERE = "192.0.2.1";
    private static final String ELSEWHERE = "192.0.2.2";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final LoginSettings SETTINGS =
            new Binder(new MapConfigurationPropertySource(Map.of()))
                    .bindOrCreate("stillwater.security.login", LoginSettings.class);

    /** Passwords that take no time, and how many were looked at. */
    private static final class CheapPasswords extends Passwords {

        private final AtomicInteger looked = new AtomicInteger();
        private volatile CountDownLatch gate = new CountDownLatch(0);

        @Override
        boolean matches(String password, @Nullable String hash) {
            looked.incrementAndGet();
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return hash != null && hash.equals("hash of " + password);
        }
    }

    @TempDir private Path folder;
    private final VirtualClock clock = new VirtualClock();
    private final CheapPasswords passwords = new CheapPasswords();
    private final List<AuditEvent> events = new ArrayList<>();
    private Duration waited = Duration.ZERO;
    private Accounts accounts;
    private Logins logins;

    @BeforeEach
    void start() throws StoreUnavailable {
        SecuritySettings settings =
                new Binder(
                                new MapConfigurationPropertySource(
                                        Map.of(
                                                "stillwater.security.initial-password",
                                                "first of all")))
                        .bindOrCreate("stillwater.security", SecuritySettings.class);
        accounts =
                new Accounts(
                        new InMemoryUserStore(),
                        settings,
                        passwords,
                        new FirstPasswordFile(settings, new FleetSettings(folder, List.of(), null)),
                        clock);
        add(ADA, true);
        logins =
                new Logins(
                        accounts,
                        passwords,
                        new SecurityAudit((event, _) -> events.add(event)),
                        settings,
                        SETTINGS,
                        clock,
                        time -> {
                            waited = waited.plus(time);
                            clock.advance(time);
                        });
    }

    private void add(String name, boolean enabled) throws StoreUnavailable {
        User user =
                new User(
                        UUID.randomUUID(),
                        name,
                        "hash of " + PASSWORD,
                        enabled,
                        Set.of(),
                        clock.now());
        assertThat(accounts.add(user)).isEqualTo(Change.DONE);
    }

    private Outcome login(String name, String password, String address) {
        return logins.login(name, password, address, "test");
    }

    /** Wrong passwords, each another one, one after the other. */
    private void fail(String name, String address, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(login(name, "wrong " + i, address)).isEqualTo(new Outcome.Refused());
        }
    }

    /** The right password gets in, and waits no longer than this. */
    private void assertWelcome(String address, Duration atMost) {
        Duration before = waited;
        assertThat(login(ADA, PASSWORD, address)).isInstanceOf(Outcome.Welcome.class);
        assertThat(waited.minus(before)).isLessThanOrEqualTo(atMost);
    }

    @Test
    void wrongPasswordsFromElsewhereLockNoUserOut() {
        fail(ADA, ELSEWHERE, 10);
        assertWelcome(HERE, Duration.ZERO);
        fail(ADA, ELSEWHERE, 200);
        assertWelcome("192.0.2.3", Duration.ZERO);
    }

    @Test
    void wrongPasswordsFromOneProxyLockNoUserOut() {
        fail(ADA, HERE, 50);
        assertWelcome(HERE, SETTINGS.longestPause());
        for (int i = 0; i < 200; i++) {
            fail("user" + i, HERE, 1);
        }
        assertWelcome(HERE, SETTINGS.longestPause());
    }

    @Test
    void anAddressThatTheUserHasLoggedInFromNeverWaitsForOthers() {
        assertWelcome(HERE, Duration.ZERO);
        clock.advance(HOUR); // the check is forgotten, the address is not
        for (int i = 0; i < 500; i++) {
            Outcome _ = login(ADA, "wrong", "198.51.100." + i);
        }
        assertWelcome(HERE, Duration.ZERO);
    }

    @Test
    void aBrowserThatTheUserHasLoggedInWithNeverWaitsForOthers() {
        for (int i = 0; i < 50; i++) {
            Outcome _ = login(ADA, "wrong " + i, HERE);
        }
        Duration before = waited;
        assertThat(logins.login(ADA, PASSWORD, HERE, "device 1", "test"))
                .isInstanceOf(Outcome.Welcome.class);
        assertThat(waited).isEqualTo(before);
    }

    /** One attacker with one address that sends as fast as it gets answers, many at a time. */
    @Test
    void guessesFromOneAddressAreFew() {
        int before = passwords.looked.get();
        int sent = 0;
        Duration end = waited.plus(HOUR);
        while (waited.compareTo(end) < 0) {
            if (login(ADA, "guess " + sent++, ELSEWHERE) instanceof Outcome.Later(var after)) {
                clock.advance(after);
                waited = waited.plus(after);
            }
        }
        assertThat(passwords.looked.get() - before)
                .isLessThanOrEqualTo(
                        (int) (HOUR.toSeconds() / SETTINGS.longestPause().toSeconds()) + 30);
    }

    /** Guesses whose waiting takes the attacker no time: as many are waited with at once. */
    private Logins withoutWaiting() {
        return new Logins(
                accounts,
                passwords,
                new SecurityAudit((event, _) -> events.add(event)),
                new Binder(new MapConfigurationPropertySource(Map.of()))
                        .bindOrCreate("stillwater.security", SecuritySettings.class),
                SETTINGS,
                clock,
                _ -> {});
    }

    /** As many addresses as one likes, fresh ones and old ones, twenty times a second. */
    @Test
    void guessesFromAllAddressesTogetherAreBounded() {
        Logins attacked = withoutWaiting();
        int before = passwords.looked.get();
        int refused = 0;
        for (int i = 0; i < HOUR.toMillis() / 50; i++) {
            int network = i % 2 == 0 ? i : 100_000 + i % 999;
            String address = "2001:db8:%x:%x::1".formatted(network / 1000, network % 1000);
            if (attacked.login(ADA, "guess " + i, address, "test") instanceof Outcome.Later) {
                refused++;
            }
            clock.advance(Duration.ofMillis(50));
        }
        assertThat(passwords.looked.get() - before).as("a documented number").isLessThan(2_500);
        assertThat(refused).isGreaterThan(60_000);
    }

    @Test
    void manyAtATimeAreNoMoreGuessesThanOneAfterTheOther() throws Exception {
        Logins attacked = withoutWaiting();
        passwords.gate = new CountDownLatch(1);
        int before = passwords.looked.get();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Outcome>> all = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                String guess = "guess " + i;
                all.add(threads.submit(() -> attacked.login("bob", guess, ELSEWHERE, "test")));
            }
            while (all.stream().filter(Future::isDone).count() < 150) {
                java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
            }
            passwords.gate.countDown();
            int refused = 0;
            for (Future<Outcome> each : all) {
                refused += each.get() instanceof Outcome.Later ? 1 : 0;
            }
            assertThat(refused).isGreaterThan(150);
            assertThat(passwords.looked.get() - before).isLessThan(20);
        }
    }

    /** A stranger has the only place of those that wait; a known client has one of its own. */
    @Test
    void strangersThatWaitTakeNoPlaceOfAKnownClient() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Logins attacked =
                new Logins(
                        accounts,
                        passwords,
                        new SecurityAudit((event, _) -> events.add(event)),
                        new Binder(new MapConfigurationPropertySource(Map.of()))
                                .bindOrCreate("stillwater.security", SecuritySettings.class),
                        new Binder(
                                        new MapConfigurationPropertySource(
                                                Map.of("stillwater.security.login.waiting", "1")))
                                .bindOrCreate("stillwater.security.login", LoginSettings.class),
                        clock,
                        _ -> {
                            waiting.countDown();
                            over.await();
                        });
        assertThat(attacked.login(ADA, PASSWORD, HERE, "test")).isInstanceOf(Outcome.Welcome.class);
        clock.advance(HOUR); // the check is forgotten, the address is not
        for (int i = 0; i <= SETTINGS.failuresPerClient(); i++) {
            assertThat(attacked.login(ADA, "guess " + i, ELSEWHERE, "test"))
                    .isEqualTo(new Outcome.Refused());
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Outcome> slowed =
                    threads.submit(() -> attacked.login(ADA, "guess", ELSEWHERE, "test"));
            try {
                waiting.await();
                assertThat(attacked.login(ADA, PASSWORD, "192.0.2.77", "test"))
                        .as("no place is left for strangers")
                        .isInstanceOf(Outcome.Later.class);
                assertThat(attacked.login(ADA, PASSWORD, HERE, "test"))
                        .as("an address that is known")
                        .isInstanceOf(Outcome.Welcome.class);
                assertThat(attacked.login(ADA, PASSWORD, "192.0.2.78", "device 1", "test"))
                        .as("a browser that is known")
                        .isInstanceOf(Outcome.Welcome.class);
            } finally {
                over.countDown();
            }
            assertThat(slowed.get()).isEqualTo(new Outcome.Refused());
        }
    }

    /** Exporters ask for many things at once, each with the name and the password. */
    @Test
    void oneRightPasswordAtManyRequestsIsCheckedOnce() throws Exception {
        passwords.gate = new CountDownLatch(1);
        int before = passwords.looked.get();
        CountDownLatch begun = new CountDownLatch(64);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Outcome>> all = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                all.add(
                        threads.submit(() -> {
                            begun.countDown();
                            return login(ADA, PASSWORD, HERE);
                        }));
            }
            begun.await();
            passwords.gate.countDown();
            for (Future<Outcome> each : all) {
                assertThat(each.get()).isInstanceOf(Outcome.Welcome.class);
            }
        }
        assertThat(passwords.looked.get() - before).isEqualTo(1);
        assertThat(waited).isZero();
    }

    /** A remembered right password must not answer guesses faster than wrong ones. */
    @Test
    void aKnownAddressGetsNoMoreGuesses() {
        assertWelcome(HERE, Duration.ZERO);
        fail(ADA, HERE, 20);
        Duration before = waited;
        fail(ADA, HERE, 1);
        Duration wrong = waited.minus(before);
        assertThat(wrong).isEqualTo(SETTINGS.longestPause());
        assertWelcome(HERE, SETTINGS.longestPause());
        assertThat(waited.minus(before).minus(wrong)).as("as a wrong one").isEqualTo(wrong);
    }

    @Test
    void rightPasswordsCostNothing() {
        fail(ADA, HERE, 20);
        assertWelcome(HERE, SETTINGS.longestPause());
        Duration before = waited;
        for (int i = 0; i < 100; i++) {
            assertWelcome(HERE, Duration.ZERO);
        }
        assertThat(waited).isEqualTo(before);
        clock.advance(SETTINGS.forgottenAfter());
        fail(ADA, HERE, SETTINGS.failuresPerClient());
        assertThat(waited).as("all is forgotten").isEqualTo(before);
    }

    @Test
    void aNameIsOneWithItsProfileAndWithout() {
        fail("ada", HERE, 10);
        Duration before = waited;
        fail("ADA@internal", HERE, 1);
        assertThat(waited).isGreaterThan(before);
    }

    @Test
    void aNameIsSlowedWhetherItExistsOrNot() {
        List<Duration> pauses = new ArrayList<>();
        for (String name : List.of("ada", "nobody")) {
            Duration before = waited;
            fail(name, name.equals("ada") ? HERE : ELSEWHERE, 30);
            pauses.add(waited.minus(before));
        }
        assertThat(pauses.get(0)).isEqualTo(pauses.get(1)).isPositive();
    }

    @Test
    void guessesOfANameAreReportedOnce() {
        fail(ADA, ELSEWHERE, 18);
        assertThat(events.stream().filter(AuditEvent.USER_LOGINS_SLOWED::equals)).hasSize(1);
        for (int i = 0; i < 60; i++) {
            fail("user" + i, ELSEWHERE, 1);
        }
        assertThat(events.stream().filter(AuditEvent.ADDRESS_LOGINS_SLOWED::equals)).hasSize(1);
    }

    @Test
    void onlyTheRightPasswordRevealsADisabledUser() throws StoreUnavailable {
        add("eve@internal", false);
        assertThat(login("eve", "wrong", HERE)).isEqualTo(new Outcome.Refused());
        assertThat(login("eve", PASSWORD, HERE)).isEqualTo(new Outcome.Disabled());
        assertThat(login("nobody", PASSWORD, HERE)).isEqualTo(new Outcome.Refused());
    }

    @Test
    void aBrowserIsKnownForItsUserOnly() {
        KnownDevices devices = new KnownDevices();
        String cookie = devices.cookie("ada");
        assertThat(devices.device(cookie, ADA)).isNotNull();
        assertThat(devices.device(cookie, "eve")).isNull();
        assertThat(devices.device(cookie + "0", ADA)).isNull();
        assertThat(devices.device(new KnownDevices().cookie("ada"), ADA)).isNull();
        assertThat(devices.device("forged", ADA)).isNull();
        assertThat(devices.device(null, ADA)).isNull();
    }
}
