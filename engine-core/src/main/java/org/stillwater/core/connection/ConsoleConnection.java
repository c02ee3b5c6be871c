package org.stillwater.core.connection;

/** The fate of a connected console client when the console gets a new password. */
public enum ConsoleConnection {
    /** Stays connected. */
    KEEP,
    /** Is disconnected. */
    DISCONNECT,
    /** The host refuses the new password if there is anyone. */
    FAIL
}
