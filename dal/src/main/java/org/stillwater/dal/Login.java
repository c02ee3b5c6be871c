package org.stillwater.dal;

/**
 * The login of the engine. Immutable; the password is left out of {@link #toString()}.
 *
 * @param user a role that can log in; empty if the URL names it
 * @param password its password, empty for none or if the URL holds it
 */
public record Login(String user, String password) {

    /** The user alone. */
    @Override
    public String toString() {
        return "Login[user=" + user + "]";
    }
}
