package org.stillwater.dal.backup;

import org.jspecify.annotations.Nullable;

/**
 * A backup cannot be made, read or restored; with the reason and the remedy. No change was made.
 */
public final class BackupRefused extends Exception {

    private static final long serialVersionUID = 1L;

    BackupRefused(String message) {
        super(message);
    }

    BackupRefused(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
