package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.stillwater.core.access.ApiToken;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.access.User;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.security.Accounts.Change;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.SecuritySettings;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryUserStore;

class AccountsTest {

    private static final VmId VM = new VmId(1, 1);
    private static final Scope ON_VM = new Scope.OfVm(VM);

    private final InMemoryUserStore store = new InMemoryUserStore();
    private final VirtualClock clock = new VirtualClock();
    private final Passwords passwords = new Passwords();
    private final Accounts accounts = accounts();

    private Accounts accounts() {
        SecuritySettings settings =
                new Binder(
                                new MapConfigurationPropertySource(
                                        Map.of(
                                                "stillwater.security.initial-password",
                                                "first of all")))
                        .bindOrCreate("stillwater.security", SecuritySettings.class);
        try {
            return new Accounts(
                    store,
                    settings,
                    passwords,
                    new FirstPasswordFile(
                            settings,
                            new FleetSettings(
                                    Path.of("target/no-first-password"), List.of(), null)),
                    clock);
        } catch (StoreUnavailable e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theFirstPasswordIsInAFileOfItsOwnerUntilItIsChanged(@TempDir Path folder)
            throws Exception {
        SecuritySettings settings =
                new Binder(new MapConfigurationPropertySource(Map.of()))
                        .bindOrCreate("stillwater.security", SecuritySettings.class);
        Path data = folder.resolve("data");
        PrintStream console = System.out;
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        Accounts begun;
        InMemoryUserStore empty = new InMemoryUserStore();
        try (PrintStream here = new PrintStream(told, true, StandardCharsets.UTF_8)) {
            System.setOut(here);
            begun =
                    new Accounts(
                            empty,
                            settings,
                            passwords,
                            new FirstPasswordFile(
                                    settings, new FleetSettings(data, List.of(), null)),
                            clock);
        } finally {
            System.setOut(console);
        }
        Path file = data.resolve("first-password");
        String password = Files.readString(file).strip();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(told.toString(StandardCharsets.UTF_8))
                .contains(file.toString(), "/login")
                .doesNotContain(password);
        User first = Objects.requireNonNull(begun.named("admin"));
        assertThat(passwords.matches(password, first.passwordHash())).isTrue();
        assertThat(begun.mustChangePassword("admin@internal")).isTrue();
        assertThat(first.caller().grants()).as("nothing but the change").isEmpty();
        assertThat(begun.change(first.id(), user -> user.withPasswordHash("another")))
                .isEqualTo(Change.DONE);
        assertThat(file).doesNotExist();
        assertThat(begun.mustChangePassword("admin@internal")).isFalse();
        assertThat(Objects.requireNonNull(begun.named("admin")).caller().has(Role.ADMINISTRATOR))
                .isTrue();
    }

    @Test
    void aFirstPasswordThatCannotBeWrittenMakesNoAdministrator(@TempDir Path folder)
            throws Exception {
        SecuritySettings settings =
                new Binder(new MapConfigurationPropertySource(Map.of()))
                        .bindOrCreate("stillwater.security", SecuritySettings.class);
        Path taken = Files.writeString(folder.resolve("taken"), "a file, no folder");
        InMemoryUserStore empty = new InMemoryUserStore();
        FirstPasswordFile file =
                new FirstPasswordFile(settings, new FleetSettings(taken, List.of(), null));
        assertThatThrownBy(() -> new Accounts(empty, settings, passwords, file, clock))
                .isInstanceOf(SecurityRefused.class)
                .hasMessageContaining("first-password");
        assertThat(empty.users()).isEmpty();
    }

    private User admin() {
        return Objects.requireNonNull(accounts.named("admin"));
    }

    private User add(String name, Grant... grants) throws StoreUnavailable {
        User user = new User(UUID.randomUUID(), name, "hash", true, Set.of(grants), clock.now());
        assertThat(accounts.add(user)).isEqualTo(Change.DONE);
        return user;
    }

    private ApiToken token(User user, String secret, Instant end) throws StoreUnavailable {
        ApiToken token =
                new ApiToken(
                        UUID.randomUUID(),
                        user.id(),
                        "t",
                        Secrets.hash(secret),
                        Set.of(Role.READER),
                        clock.now(),
                        end);
        assertThat(accounts.add(token)).isEqualTo(Change.DONE);
        return token;
    }

    @Test
    void theFirstStartMakesAnAdministratorAndTheNextOneDoesNot() throws StoreUnavailable {
        assertThat(admin().grants()).containsExactly(Grant.everywhere(Role.ADMINISTRATOR));
        assertThat(passwords.matches("first of all", admin().passwordHash())).isTrue();
        User before = admin();
        assertThat(store.users()).containsExactly(before);
        assertThat(accounts().users()).containsExactly(before);
    }

    @Test
    void aNameWithoutAProfileIsTheEnginesOwn() throws StoreUnavailable {
        User ada = add("ada@internal");
        assertThat(accounts.named("ada")).isEqualTo(ada);
        assertThat(accounts.named("ada@internal")).isEqualTo(ada);
        assertThat(accounts.named("ada@elsewhere")).isNull();
    }

    @Test
    void anAdministratorIsLeft() throws StoreUnavailable {
        assertThat(accounts.remove(admin().id())).isEqualTo(Change.LAST_ADMINISTRATOR);
        assertThat(accounts.change(admin().id(), user -> user.with(false, user.grants())))
                .isEqualTo(Change.LAST_ADMINISTRATOR);
        assertThat(accounts.change(admin().id(), user -> user.with(true, Set.of())))
                .isEqualTo(Change.LAST_ADMINISTRATOR);
        User other = add("other@internal", Grant.everywhere(Role.ADMINISTRATOR));
        assertThat(accounts.remove(admin().id())).isEqualTo(Change.DONE);
        assertThat(accounts.remove(other.id())).isEqualTo(Change.LAST_ADMINISTRATOR);
        assertThat(accounts.remove(UUID.randomUUID())).isEqualTo(Change.UNKNOWN);
    }

    @Test
    void unsavedChangesDoNotCount() throws StoreUnavailable {
        User ada = add("ada@internal", Grant.everywhere(Role.READER));
        store.available(false);
        assertThatThrownBy(() -> accounts.change(ada.id(), user -> user.with(false, Set.of())))
                .isInstanceOf(StoreUnavailable.class);
        assertThatThrownBy(() -> accounts.remove(ada.id())).isInstanceOf(StoreUnavailable.class);
        assertThat(accounts.user(ada.id())).as("asked in memory").isEqualTo(ada);
    }

    @Test
    void aUserWithAGrantOnARemovedObjectCanBeDisabled() throws StoreUnavailable {
        store.there(ON_VM);
        User ada =
                add("ada@internal", new Grant(Role.OPERATOR, ON_VM), Grant.everywhere(Role.READER));
        store.gone(ON_VM); // and the engine does not know it yet
        assertThat(accounts.change(ada.id(), user -> user.with(false, user.grants())))
                .isEqualTo(Change.DONE);
        User after = Objects.requireNonNull(accounts.user(ada.id()));
        assertThat(after.enabled()).isFalse();
        assertThat(after.grants()).containsExactly(Grant.everywhere(Role.READER));
        assertThat(
                        accounts.change(
                                ada.id(),
                                user -> user.with(true, Set.of(new Grant(Role.READER, ON_VM)))))
                .isEqualTo(Change.UNKNOWN);
    }

    @Test
    void grantsOnRemovedObjectsAreForgotten() throws StoreUnavailable {
        Scope cluster = new Scope.OfCluster(ClusterId.DEFAULT);
        store.there(ON_VM);
        store.there(cluster);
        User ada =
                add(
                        "ada@internal",
                        new Grant(Role.OPERATOR, ON_VM),
                        new Grant(Role.READER, cluster));
        User bob = add("bob@internal", new Grant(Role.READER, cluster));
        accounts.forget(ON_VM);
        assertThat(Objects.requireNonNull(accounts.user(ada.id())).grants())
                .containsExactly(new Grant(Role.READER, cluster));
        assertThat(accounts.named("ada")).isEqualTo(accounts.user(ada.id()));
        assertThat(accounts.user(bob.id())).isSameAs(bob);
        accounts.forget(cluster);
        assertThat(Objects.requireNonNull(accounts.user(bob.id())).grants()).isEmpty();
    }

    @Test
    void aTokenEndsWhenItExpiresOrIsRevokedOrItsUserGoes() throws StoreUnavailable {
        User ada = add("ada@internal", Grant.everywhere(Role.READER));
        token(ada, "ending", clock.now().plusSeconds(60));
        ApiToken revoked = token(ada, "revoked", clock.now().plusSeconds(600));
        token(ada, "left", clock.now().plusSeconds(600));
        assertThat(accounts.valid("ending")).isNotNull();
        assertThat(accounts.valid("unknown")).isNull();
        clock.advance(Duration.ofSeconds(60));
        assertThat(accounts.valid("ending")).isNull();
        assertThat(accounts.revoke(revoked)).isEqualTo(Change.DONE);
        assertThat(accounts.revoke(revoked)).isEqualTo(Change.UNKNOWN);
        assertThat(accounts.valid("revoked")).isNull();
        assertThat(accounts.remove(ada.id())).isEqualTo(Change.DONE);
        assertThat(accounts.valid("left")).isNull();
    }

    @Test
    void aPasswordLoginLastsUntilThePasswordChanges() throws StoreUnavailable {
        User ada = add("ada@internal", Grant.everywhere(Role.READER));
        AccessRecheck standing = accounts.standing(ada);
        assertThat(standing.now()).isEqualTo(ada.caller());
        accounts.change(ada.id(), user -> user.with(true, Set.of(Grant.everywhere(Role.OPERATOR))));
        assertThat(Objects.requireNonNull(standing.now()).has(Role.OPERATOR)).isTrue();
        accounts.change(ada.id(), user -> user.with(false, user.grants()));
        assertThat(standing.now()).isNull();
        accounts.change(ada.id(), user -> user.with(true, user.grants()));
        assertThat(standing.now()).isNotNull();
        accounts.change(ada.id(), user -> user.withPasswordHash("another"));
        assertThat(standing.now()).isNull();
    }

    @Test
    void aTokenLoginLastsUntilTheTokenEnds() throws StoreUnavailable {
        User ada = add("ada@internal", Grant.everywhere(Role.OPERATOR));
        AccessRecheck standing =
                accounts.standing(token(ada, "ending", clock.now().plusSeconds(60)));
        assertThat(Objects.requireNonNull(standing.now()).grants())
                .containsExactly(Grant.everywhere(Role.READER));
        clock.advance(Duration.ofSeconds(60));
        assertThat(standing.now()).isNull();
        ApiToken other = token(ada, "other", clock.now().plusSeconds(60));
        AccessRecheck until = accounts.standing(other);
        assertThat(until.now()).isNotNull();
        accounts.revoke(other);
        assertThat(until.now()).isNull();
    }

    @Test
    void aUserHasALimitedNumberOfTokens() throws StoreUnavailable {
        for (int i = 0; i < 100; i++) {
            token(admin(), "t" + i, clock.now().plusSeconds(60));
        }
        ApiToken more =
                new ApiToken(
                        UUID.randomUUID(),
                        admin().id(),
                        "more",
                        "hash",
                        Set.of(Role.READER),
                        clock.now(),
                        null);
        assertThat(accounts.add(more)).isEqualTo(Change.TOO_MANY);
    }

    @Test
    void anExpiredTokenMakesRoomForANewOne() throws StoreUnavailable {
        for (int i = 0; i < 100; i++) {
            token(admin(), "t" + i, clock.now().plusSeconds(60 + i));
        }
        clock.advance(Duration.ofSeconds(61)); // two have expired
        token(admin(), "new", clock.now().plusSeconds(600));
        token(admin(), "newer", clock.now().plusSeconds(600));
        assertThat(store.tokens()).hasSize(100).hasSameSizeAs(accounts.tokens());
        assertThat(accounts.valid("new")).isNotNull();
        assertThat(accounts.valid("newer")).isNotNull();
        assertThat(accounts.valid("t2")).isNotNull();
        assertThat(
                        accounts.add(
                                new ApiToken(
                                        UUID.randomUUID(),
                                        admin().id(),
                                        "more",
                                        "hash",
                                        Set.of(Role.READER),
                                        clock.now(),
                                        null)))
                .isEqualTo(Change.TOO_MANY);
    }
}
