package org.stillwater.monitoring.write;

import org.stillwater.core.id.HostId;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;

/**
 * A listener that receives work when it is durable, including work that was durable before. Called
 * on the writer's thread; must not block.
 */
public interface DurableWork {

    /** Work about a VM is open. */
    void opened(OpenWork work);

    /** Work about a host is open. */
    void opened(OpenHostWork work);

    /** The host's condition is durable in this episode: work of earlier ones has ended. */
    void episodeReached(HostId host, long episode);
}
