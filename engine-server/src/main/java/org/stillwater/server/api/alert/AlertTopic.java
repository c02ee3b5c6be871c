package org.stillwater.server.api.alert;

import java.util.List;
import org.stillwater.core.alert.Alert;

/** Alerts of rules for the stream. Thread-safe; answered from memory. */
public interface AlertTopic {

    /** Alerts that fire, the newest first. */
    List<Alert> firing();

    /** The members of an alert, as REST has them, that Jackson writes. */
    Object item(Alert alert);
}
