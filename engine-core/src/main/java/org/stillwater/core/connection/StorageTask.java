package org.stillwater.core.connection;

import org.stillwater.core.report.ReportedText;
import org.stillwater.core.text.SafeText;

/**
 * Status of a task on storage.
 *
 * @param finished whether the host has ended its work on it
 * @param succeeded whether it succeeded; false while it is not finished
 * @param code the host's code of why it failed, 0 for none
 * @param message the host's words, bounded and on one line
 */
public record StorageTask(boolean finished, boolean succeeded, int code, String message) {
    public StorageTask {
        message = SafeText.of(message, ReportedText.FAILURE.mostCharacters());
    }
}
