/** The ordered feed of changes and its readers. This package changes no VM and no host. */
@NullMarked
package org.stillwater.monitoring.feed;

import org.jspecify.annotations.NullMarked;
