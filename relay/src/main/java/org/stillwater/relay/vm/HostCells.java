package org.stillwater.relay.vm;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.relay.state.Cells;

/**
 * What a relay tells of its watching of a host.
 *
 * @param connected whether its connection to the host stands
 * @param poll counts the complete polls that the state contains; 0 for none
 * @param session the stream that the mark came over; 0 for none
 * @param mark the newest mark of the engine that the relay had when it sent that poll's request; 0
 *     for none
 * @param reason why the connection does not stand; null if it does
 */
public record HostCells(
        boolean connected, long poll, long session, long mark, @Nullable String reason) {

    /** Identity of the record. */
    public static UUID id() {
        return CellKey.HOST;
    }

    /** What these cells tell; a host that is not connected if there are none. */
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

    /** This as cells. */
    public Cells cells() {
        return new Cells.Draft()
                .flag(CellKey.CONNECTED, connected)
                .whole(CellKey.POLL, poll)
                .whole(CellKey.POLL_SESSION, session)
                .whole(CellKey.POLL_MARK, mark)
                .text(CellKey.REASON, reason)
                .build();
    }

    /** Every key that the record may have had and has not now. */
    public List<Integer> absent() {
        return reason == null ? List.of(CellKey.REASON) : List.of();
    }
}
