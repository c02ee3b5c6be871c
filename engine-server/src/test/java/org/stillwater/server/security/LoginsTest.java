package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.stillwater.core.access.User;
import org.stillwater.core.model.AuditEvent;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.server.security.Accounts.Change;
import org.stillwater.server.security.Logins.Outcome;
import org.stillwater.server.settings.LoginSettings;
import org.stillwater.server.settings.SecuritySettings;
import org.stillwater.testkit.InMemoryUserStore;
import org.stillwater.testkit.VirtualClock;

class LoginsTest {

    private static final String ADA = "ada@internal";
    private static final String PASSWORD = "long enough";
    private static final String HERE = "192.0.2.1";
    private static final String ELSEWHERE = "192.0.2.2";
    private static final int FAILURES = 3;
    private static final int FAILURES_OF_AN_ADDRESS = 8;
    private static final Duration LOCKED = Duration.ofMinutes(5);

    private final VirtualClock clock = new VirtualClock();
    private final Passwords passwords = new Passwords();
    private final List<AuditEvent> events = new ArrayList<>();
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
        accounts = new Accounts(new InMemoryUserStore(), settings, passwords, clock);
        add(ADA, true);
        logins =
                new Logins(
                        accounts,
                        passwords,
                        new SecurityAudit((event, _) -> events.add(event)),
                        settings,
                        new LoginSettings(
                                FAILURES, LOCKED, FAILURES_OF_AN_ADDRESS, 1, Duration.ofSeconds(5)),
                        clock);
    }

    private void add(String name, boolean enabled) throws StoreUnavailable {
        User user =
                new User(
                        UUID.randomUUID(),
                        name,
                        passwords.hash(PASSWORD),
                        enabled,
                        Set.of(),
                        clock.now());
        assertThat(accounts.add(user)).isEqualTo(Change.DONE);
    }

    private Outcome login(String name, String password, String address) {
        return logins.login(name, password, address, "test");
    }

    private void fail(String name, String address, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(login(name, "wrong", address))
                    .isNotInstanceOf(Outcome.Welcome.class)
                    .isNotInstanceOf(Outcome.Later.class);
        }
    }

    private void assertWelcome(String address) {
        assertThat(login(ADA, PASSWORD, address)).isInstanceOf(Outcome.Welcome.class);
    }

    @Test
    void whoGuessesElsewhereLearnsNothingFromAPasswordThatWasRightHere() {
        assertWelcome(HERE);
        fail(ADA, ELSEWHERE, FAILURES);
        assertThat(login(ADA, PASSWORD, ELSEWHERE)).isEqualTo(new Outcome.Locked(LOCKED));
        assertThat(login(ADA, "wrong", ELSEWHERE)).isEqualTo(new Outcome.Locked(LOCKED));
        assertWelcome(HERE);
    }

    @Test
    void whoGuessesWhereThePasswordWasRightIsLockedOutAsWell() {
        assertWelcome(HERE);
        fail(ADA, HERE, FAILURES);
        assertThat(login(ADA, PASSWORD, HERE)).isEqualTo(new Outcome.Locked(LOCKED));
        clock.advance(LOCKED);
        assertWelcome(HERE);
    }

    @Test
    void aClientThatWasLetInGoesOnWhileItsNameIsLocked() {
        assertWelcome(HERE);
        clock.advance(Duration.ofMinutes(4)); // what was checked is known for five
        fail(ADA, ELSEWHERE, FAILURES);
        for (int i = 0; i < 9; i++) {
            clock.advance(Duration.ofSeconds(30));
            assertWelcome(HERE);
        }
        assertThat(login(ADA, PASSWORD, ELSEWHERE)).isInstanceOf(Outcome.Locked.class);
    }

    @Test
    void anAddressThatIsRefusedIsRefusedThoughThePasswordWasRightThere() {
        assertWelcome(HERE);
        for (int i = 0; i < FAILURES_OF_AN_ADDRESS; i++) {
            fail("nobody" + i, HERE, 1);
        }
        assertThat(login(ADA, PASSWORD, HERE)).isEqualTo(new Outcome.Later(LOCKED));
        assertWelcome(ELSEWHERE);
    }

    @Test
    void aNameIsOneWithItsProfileAndWithout() {
        fail("ada", HERE, FAILURES);
        assertThat(login(ADA, PASSWORD, ELSEWHERE)).isEqualTo(new Outcome.Locked(LOCKED));
        assertThat(events).contains(AuditEvent.USER_LOCKED_OUT);
    }

    @Test
    void aNameIsLockedWhetherItExistsOrNot() {
        fail("nobody", HERE, FAILURES);
        assertThat(login("nobody", PASSWORD, ELSEWHERE)).isEqualTo(new Outcome.Locked(LOCKED));
    }

    @Test
    void onlyWhoKnowsThePasswordLearnsThatAUserIsDisabled() throws StoreUnavailable {
        add("eve@internal", false);
        assertThat(login("eve", "wrong", HERE)).isEqualTo(new Outcome.Refused());
        assertThat(login("eve", PASSWORD, HERE)).isEqualTo(new Outcome.Disabled());
        assertThat(login("nobody", PASSWORD, HERE)).isEqualTo(new Outcome.Refused());
    }
}
