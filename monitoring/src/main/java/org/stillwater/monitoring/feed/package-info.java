/** The ordered feed of changes and its readers. Nothing here changes a VM or a host. */
@NullMarked
package org.stillwater.monitoring.feed;

import org.jspecify.annotations.NullMarked;
