package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.User;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.security.Accounts.Change;
import org.stillwater.server.security.Sessions.Kind;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.SecuritySettings;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryUserStore;

class SessionsTest {

    private static final String HERE = "192.0.2.1";
    private static final String ELSEWHERE = "192.0.2.2";

    @TempDir private Path folder;
    private final VirtualClock clock = new VirtualClock();
    private final List<AuditEvent> events = new ArrayList<>();
    private Accounts accounts;
    private Sessions sessions;
    private User ada;
    private User eve;
    private User nothing;

    @BeforeEach
    void start() throws StoreUnavailable {
        begin(Map.of());
    }

    private void begin(Map<String, String> limits) throws StoreUnavailable {
        Map<String, String> all = new java.util.HashMap<>();
        limits.forEach((name, value) -> all.put("stillwater.security." + name, value));
        all.put("stillwater.security.initial-password", "first of all");
        SecuritySettings settings =
                new Binder(new MapConfigurationPropertySource(all))
                        .bindOrCreate("stillwater.security", SecuritySettings.class);
        accounts =
                new Accounts(
                        new InMemoryUserStore(),
                        settings,
                        new Passwords(),
                        new FirstPasswordFile(settings, new FleetSettings(folder, List.of(), null)),
                        clock);
        ada = user("ada@internal", Set.of(Grant.everywhere(Role.READER)));
        eve = user("eve@internal", Set.of(Grant.everywhere(Role.READER)));
        nothing = user("nothing@internal", Set.of());
        sessions =
                new Sessions(
                        accounts,
                        new SecurityAudit((event, _) -> events.add(event)),
                        settings,
                        clock);
    }

    private User user(String name, Set<Grant> grants) throws StoreUnavailable {
        User user = new User(UUID.randomUUID(), name, "hash", true, grants, clock.now());
        assertThat(accounts.add(user)).isEqualTo(Change.DONE);
        return user;
    }

    private String token(User user, String address) {
        return sessions.begin(Kind.TOKEN, user, sessions.idle(), false, address);
    }

    private boolean lives(String token) {
        return sessions.used(Kind.TOKEN, token) != null;
    }

    @Test
    void manyTokensOfAUserWithoutGrantsEndNoOther() {
        String mine = token(ada, HERE);
        String last = null;
        String first = token(nothing, ELSEWHERE);
        for (int i = 0; i < 16_000; i++) {
            last = token(nothing, ELSEWHERE);
            assertThat(last).isNotNull();
        }
        assertThat(lives(mine)).isTrue();
        assertThat(lives(first)).isFalse();
        assertThat(lives(last)).isTrue();
        assertThat(events).contains(AuditEvent.SESSIONS_LIMITED);
    }

    @Test
    void aLoginByThePasswordOfBeforeBeginsNoSession() throws StoreUnavailable {
        accounts.change(ada.id(), user -> user.withPasswordHash("another"));
        sessions.endAll(ada.id());
        assertThat(token(ada, HERE)).as("found right before, begun after").isNull();
        assertThat(token(accounts.user(ada.id()), HERE)).isNotNull();
        accounts.change(eve.id(), user -> user.with(false, user.grants()));
        sessions.endAll(eve.id());
        assertThat(token(eve, HERE)).isNull();
        assertThat(accounts.remove(nothing.id())).isEqualTo(Change.DONE);
        assertThat(token(nothing, HERE)).isNull();
    }

    @Test
    void aUserAtTheLimitLosesTheSessionThatWasUsedLongestAgo() throws StoreUnavailable {
        begin(Map.of("sessions-per-user", "3"));
        String first = token(ada, HERE);
        String second = token(ada, HERE);
        String third = token(ada, HERE);
        assertThat(lives(first)).isTrue(); // and thereby used
        String fourth = token(ada, HERE);
        assertThat(lives(second)).isFalse();
        assertThat(List.of(first, third, fourth)).allMatch(this::lives);
    }

    @Test
    void endedSessionsDoNotCount() throws StoreUnavailable {
        begin(Map.of("sessions-per-user", "2", "max-sessions", "2"));
        String first = token(ada, HERE);
        String _ = token(eve, HERE);
        clock.advance(sessions.idle());
        assertThat(lives(first)).isFalse();
        assertThat(token(nothing, HERE)).isNotNull();
        assertThat(token(eve, HERE)).isNotNull();
        assertThat(events).isEmpty();
    }

    @Test
    void aFullEngineRefusesAndEndsNoOther() throws StoreUnavailable {
        begin(Map.of("max-sessions", "2"));
        String adas = token(ada, HERE);
        String eves = token(eve, HERE);
        assertThat(token(nothing, ELSEWHERE)).isNull();
        String again = token(eve, HERE);
        assertThat(lives(adas)).isTrue();
        assertThat(lives(eves)).as("her own").isFalse();
        assertThat(lives(again)).isTrue();
    }

    @Test
    void anAddressHasSoManyAndOthersHaveTheirs() throws StoreUnavailable {
        begin(Map.of("sessions-per-address", "2"));
        String first = token(ada, HERE);
        String second = token(ada, HERE);
        assertThat(token(eve, HERE)).isNull();
        assertThat(token(eve, ELSEWHERE)).isNotNull();
        String third = token(ada, HERE);
        assertThat(lives(first)).isFalse();
        assertThat(List.of(second, third)).allMatch(this::lives);
    }

    @Test
    void peopleOfAnotherServerAreCountedByTheirNames() throws StoreUnavailable {
        begin(Map.of("sessions-per-user", "1"));
        Duration longest = Duration.ofHours(1);
        String one =
                sessions.begin(Kind.BROWSER, Caller.withRole("x@org", Role.READER), longest, HERE);
        String other =
                sessions.begin(Kind.BROWSER, Caller.withRole("y@org", Role.READER), longest, HERE);
        String _ =
                sessions.begin(Kind.BROWSER, Caller.withRole("x@org", Role.READER), longest, HERE);
        assertThat(sessions.used(Kind.BROWSER, one)).isNull();
        assertThat(sessions.used(Kind.BROWSER, other)).isNotNull();
        clock.advance(longest);
        assertThat(sessions.used(Kind.BROWSER, other)).isNull();
    }

    @Test
    void allOfAUserEnd() {
        String first = token(ada, HERE);
        String second = token(ada, HERE);
        String hers = token(eve, HERE);
        sessions.endAll(ada.id());
        assertThat(lives(first)).isFalse();
        assertThat(lives(second)).isFalse();
        assertThat(lives(hers)).isTrue();
        assertThat(sessions.end(hers)).isNotNull();
        assertThat(sessions.end(hers)).isNull();
    }

    @Test
    @DisplayName(
            "a clock step back prolongs no session, a step forth ends only those with an end by"
                    + " date")
    void clockSteps() {
        Duration longest = sessions.idle().multipliedBy(2);
        String own = token(ada, HERE);
        String foreign =
                sessions.begin(Kind.BROWSER, Caller.withRole("x@org", Role.READER), longest, HERE);
        clock.jump(Duration.ofDays(-400));
        for (int i = 0; i < 3; i++) {
            clock.advance(sessions.idle().dividedBy(2));
            assertThat(lives(own)).isTrue();
            assertThat(sessions.used(Kind.BROWSER, foreign)).isNotNull();
        }
        clock.advance(sessions.idle().dividedBy(2));
        assertThat(sessions.used(Kind.BROWSER, foreign)).as("its time is over").isNull();
        assertThat(lives(own)).isTrue();
        clock.jump(Duration.ofDays(800));
        assertThat(lives(own)).as("used a moment ago").isTrue();
        clock.advance(sessions.idle());
        assertThat(lives(own)).isFalse();
    }
}
