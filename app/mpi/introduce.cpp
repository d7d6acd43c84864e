#include <mpi.h>

/// All that MPI is asked for: processes that were started together learn of each other. It has ended when this returns,
/// so that none of them depends on the others any more. Opened by the program where a launcher started it, so that it
/// runs without MPI, too.
extern "C" __attribute__((visibility("default"))) int tesseraIntroduce(char* text, int capacity, int* rank, int* size,
                                                                       int* neighbours) {
    if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS) return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    int failed = MPI_Bcast(text, capacity, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Comm beside = MPI_COMM_NULL;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, *rank, MPI_INFO_NULL, &beside) == MPI_SUCCESS) {
        MPI_Comm_size(beside, neighbours);
        MPI_Comm_free(&beside);
    }
    if (MPI_Finalize() != MPI_SUCCESS) failed = 1;
    return failed == MPI_SUCCESS ? 0 : 1;
}
