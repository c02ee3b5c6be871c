package org.stillwater.server.api.alert;

import java.util.List;
import org.springframework.stereotype.Component;
import org.stillwater.core.alert.Alert;
import org.stillwater.monitoring.alert.AlertMonitor;

/** The alerts of the monitor, in the form of the stream. Thread-safe. */
@Component
final class MonitoredAlerts implements AlertTopic {

    private final AlertMonitor monitor;

    MonitoredAlerts(AlertMonitor monitor) {
        this.monitor = monitor;
    }

    @Override
    public List<Alert> firing() {
        return monitor.alerts().stream().filter(Alert::isFiring).toList();
    }

    @Override
    public Object item(Alert alert) {
        return AlertJson.alert(alert, monitor.isSilenced(alert));
    }
}
