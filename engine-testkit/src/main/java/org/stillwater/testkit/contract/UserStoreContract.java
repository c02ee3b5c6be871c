package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.access.ApiToken;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.access.User;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.UserStore;
import org.stillwater.testkit.Samples;

/** Contract of every {@link UserStore}. A subclass hands out an empty store before each test. */
public abstract class UserStoreContract {

    /** A VM that exists until {@link #forgetVm}. */
    protected static final VmId VM = Samples.vm(1);

    private static final Instant MADE = Instant.parse("2026-11-22T10:11:12.131415Z");
    private static final UUID ADA = new UUID(1, 1);
    private static final UUID EVE = new UUID(1, 2);

    private UserStore store;

    /** An empty store; {@link #VM} and the default cluster exist. */
    protected abstract UserStore emptyUsers() throws StoreUnavailable;

    /** Removes {@link #VM}. */
    protected abstract void forgetVm() throws StoreUnavailable;

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = emptyUsers();
    }

    private static User user(UUID id, String name, @Nullable String hash, Set<Grant> grants) {
        return new User(id, name, hash, true, grants, MADE);
    }

    private static ApiToken token(UUID id, UUID user, @Nullable Instant end) {
        return new ApiToken(
                id,
                user,
                "for " + Samples.AWKWARD,
                "hash of " + id,
                Set.of(Role.SCRAPER, Role.READER),
                MADE,
                end);
    }

    @Test
    void everyValueOfAUserIsSavedAndChanged() throws StoreUnavailable {
        User full =
                user(
                        ADA,
                        "ada@internal",
                        "$argon2id$v=19$" + Samples.AWKWARD,
                        Set.of(
                                Grant.everywhere(Role.READER),
                                new Grant(Role.OPERATOR, new Scope.OfCluster(ClusterId.DEFAULT)),
                                new Grant(Role.READER, new Scope.OfCluster(ClusterId.DEFAULT)),
                                new Grant(Role.OPERATOR, new Scope.OfVm(VM))));
        assertThat(store.users()).isEmpty();
        assertThat(store.save(full)).isEqualTo(Saved.SAVED);
        assertThat(store.users()).containsExactly(full);
        User bare = new User(ADA, "lovelace@internal", null, false, Set.of(), MADE);
        assertThat(store.save(bare)).isEqualTo(Saved.SAVED);
        assertThat(store.users()).containsExactly(bare);
    }

    @Test
    void aPasswordThatMustBeChangedIsRememberedAsSuch() throws StoreUnavailable {
        User ada = user(ADA, "ada@internal", "hash", Set.of(Grant.everywhere(Role.READER)));
        store.save(ada.withMustChangePassword(true));
        assertThat(store.users()).containsExactly(ada.withMustChangePassword(true));
        store.save(store.users().getFirst().withPasswordHash("another"));
        assertThat(store.users()).containsExactly(ada.withPasswordHash("another"));
        assertThat(store.users().getFirst().mustChangePassword()).isFalse();
    }

    @Test
    void theTimeWhenAUserWasMadeStays() throws StoreUnavailable {
        store.save(user(ADA, "ada@internal", null, Set.of()));
        store.save(new User(ADA, "ada@internal", null, true, Set.of(), MADE.plusSeconds(1)));
        assertThat(store.users()).containsExactly(user(ADA, "ada@internal", null, Set.of()));
    }

    @Test
    void aNameIsTakenOnce() throws StoreUnavailable {
        store.save(user(ADA, "a@internal", null, Set.of()));
        assertThat(store.save(user(EVE, "a@internal", null, Set.of()))).isEqualTo(Saved.TAKEN);
        assertThat(store.save(user(EVE, "A@internal", null, Set.of()))).isEqualTo(Saved.SAVED);
        assertThat(store.save(user(EVE, "a@internal", null, Set.of()))).isEqualTo(Saved.TAKEN);
        assertThat(store.users())
                .containsExactlyInAnyOrder(
                        user(ADA, "a@internal", null, Set.of()),
                        user(EVE, "A@internal", null, Set.of()));
    }

    @Test
    void nothingIsGrantedOnMissingObjects() throws StoreUnavailable {
        User ada = user(ADA, "ada@internal", null, Set.of(Grant.everywhere(Role.READER)));
        store.save(ada);
        for (Scope scope :
                new Scope[] {
                    new Scope.OfVm(Samples.vm(99)),
                    new Scope.OfCluster(new ClusterId(new UUID(0, 99)))
                }) {
            assertThat(store.save(ada.with(false, Set.of(new Grant(Role.READER, scope)))))
                    .isEqualTo(Saved.UNKNOWN);
        }
        assertThat(store.users()).as("wholly or not at all").containsExactly(ada);
    }

    @Test
    void grantsGoWithTheirVm() throws StoreUnavailable {
        Set<Grant> left = Set.of(new Grant(Role.READER, new Scope.OfCluster(ClusterId.DEFAULT)));
        store.save(
                user(
                        ADA,
                        "ada@internal",
                        null,
                        Set.of(
                                new Grant(Role.READER, new Scope.OfCluster(ClusterId.DEFAULT)),
                                new Grant(Role.OPERATOR, new Scope.OfVm(VM)))));
        forgetVm();
        assertThat(store.users()).containsExactly(user(ADA, "ada@internal", null, left));
    }

    @Test
    void everyValueOfATokenIsSaved() throws StoreUnavailable {
        store.save(user(ADA, "ada@internal", null, Set.of()));
        ApiToken forever = token(new UUID(2, 1), ADA, null);
        ApiToken ending = token(new UUID(2, 2), ADA, MADE.plusSeconds(3));
        assertThat(store.tokens()).isEmpty();
        assertThat(store.add(forever)).isEqualTo(Saved.SAVED);
        assertThat(store.add(ending)).isEqualTo(Saved.SAVED);
        assertThat(store.tokens()).containsExactlyInAnyOrder(forever, ending);
        assertThat(store.removeToken(forever.id())).isTrue();
        assertThat(store.removeToken(forever.id())).isFalse();
        assertThat(store.tokens()).containsExactly(ending);
    }

    @Test
    void tokensGoWithTheirUser() throws StoreUnavailable {
        store.save(user(ADA, "ada@internal", null, Set.of()));
        store.save(user(EVE, "eve@internal", null, Set.of()));
        ApiToken kept = token(new UUID(2, 1), EVE, null);
        store.add(kept);
        store.add(token(new UUID(2, 2), ADA, null));
        assertThat(store.remove(ADA)).isTrue();
        assertThat(store.remove(ADA)).isFalse();
        assertThat(store.users()).containsExactly(user(EVE, "eve@internal", null, Set.of()));
        assertThat(store.tokens()).containsExactly(kept);
        assertThat(store.add(token(new UUID(2, 3), ADA, null))).isEqualTo(Saved.UNKNOWN);
    }
}
