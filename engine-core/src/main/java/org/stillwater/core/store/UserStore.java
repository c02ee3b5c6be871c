package org.stillwater.core.store;

import java.util.List;
import java.util.UUID;
import org.stillwater.core.access.ApiToken;
import org.stillwater.core.access.User;

/** Durable users and tokens. Every method is one transaction. Thread-safe. */
public interface UserStore {

    /**
     * Every user with its grants.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<User> users() throws StoreUnavailable;

    /**
     * Every token.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<ApiToken> tokens() throws StoreUnavailable;

    /**
     * Adds a user, or changes one: everything but identity and time of creation.
     *
     * @return {@link ClusterStore.Saved#TAKEN} if another one has the name, {@link
     *     ClusterStore.Saved#UNKNOWN} if a grant is on a VM or cluster that does not exist
     * @throws StoreUnavailable if the database cannot be written now
     */
    ClusterStore.Saved save(User user) throws StoreUnavailable;

    /**
     * Removes a user with all tokens.
     *
     * @return false if there was none
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean remove(UUID user) throws StoreUnavailable;

    /**
     * Adds a token.
     *
     * @return {@link ClusterStore.Saved#UNKNOWN} if there is no such user
     * @throws StoreUnavailable if the database cannot be written now
     */
    ClusterStore.Saved add(ApiToken token) throws StoreUnavailable;

    /**
     * Removes a token.
     *
     * @return false if there was none
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean removeToken(UUID token) throws StoreUnavailable;
}
