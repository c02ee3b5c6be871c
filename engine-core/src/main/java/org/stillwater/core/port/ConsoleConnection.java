package org.stillwater.core.port;

/** What becomes of whoever is connected to a console when it gets a new password. */
public enum ConsoleConnection {
    /** Stays connected. */
    KEEP,
    /** Is disconnected. */
    DISCONNECT,
    /** The host refuses the new password if there is anyone. */
    FAIL
}
