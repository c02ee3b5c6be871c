package org.stillwater.server.systemd;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.stillwater.relay.systemd.UnixDatagrams;

/**
 * Sends each line of the log to systemd's journal, with its level and its values as fields. A line
 * that the journal does not take goes to the console. Thread-safe.
 */
final class JournalAppender extends AppenderBase<ILoggingEvent> {

    private final UnixDatagrams journal;
    private final @Nullable Appender<ILoggingEvent> console;

    /**
     * An appender that is not started.
     *
     * @param console takes the lines that the journal refuses
     */
    JournalAppender(UnixDatagrams journal, @Nullable Appender<ILoggingEvent> console) {
        this.journal = journal;
        this.console = console;
        setName("journal");
    }

    @Override
    protected void append(ILoggingEvent event) {
        boolean taken = false;
        try {
            taken = journal.send(JournalEntry.of(event));
        } catch (IOException _) {
            // the console takes it
        }
        if (!taken && console != null) {
            console.doAppend(event);
        }
    }
}
