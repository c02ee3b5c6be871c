package org.stillwater.relay.vm;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.relay.state.Cells;

/**
 * A relay's own state about a host.
 *
 * @param connected whether its connection to the host is open
 * @param poll counts the complete polls that the state contains; 0 for none
 * @param session the stream of the mark; 0 for none
 * @param mark the newest mark of the engine when the relay sent that poll's request; 0 for none
 * @param reason why the connection is not open; null if it is
 */
public record HostCells(
        boolean connected, long poll, long session, long mark, @Nullable String reason) {

    /** Identity of the record. */
    public static UUID id() {
        return CellKey.HOST;
    }

    /** The values of these cells; without cells, a host that is not connected. */
    public static HostCells of(@Nullable Cells cells) {
        return cells == null
                ? new HostCells(false, 0, 0, 0, "no data of the host")
                : new HostCells(
                        cells.is(CellKey.CONNECTED),
                        cells.whole(CellKey.POLL, 0),
                        cells.whole(CellKey.POLL_SESSION, 0),
                        cells.whole(CellKey.POLL_MARK, 0),
                        cells.text(CellKey.REASON));
    }

    /** These values as cells. */
    public Cells cells() {
        return new Cells.Draft()
                .flag(CellKey.CONNECTED, connected)
                .whole(CellKey.POLL, poll)
                .whole(CellKey.POLL_SESSION, session)
                .whole(CellKey.POLL_MARK, mark)
                .text(CellKey.REASON, reason)
                .build();
    }

    /** Keys that the record may have had before and lacks now. */
    public List<Integer> absent() {
        return reason == null ? List.of(CellKey.REASON) : List.of();
    }
}
